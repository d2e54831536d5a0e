import { isBinary } from "../sealing/bytes.ts"

/**
 * Checks an argument that is sent as JSON.
 *
 * @throws TypeError if it is no JSON, without repeating it: bytes would become a list of numbers, and others nothing
 */
export function requireJson(name: string, value: unknown): void {
  const isObject = typeof value === "object" && value !== null
  if (isObject ? isBinary(value) : !["string", "number", "boolean"].includes(typeof value)) {
    throw new TypeError(`${name} must be JSON.`)
  }
}

/** Checks an argument that is sent as an object. @throws TypeError if it is none, or a list, without repeating it */
export function requireObject(name: string, value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value) || isBinary(value)) {
    throw new TypeError(`${name} must be an object.`)
  }
}
