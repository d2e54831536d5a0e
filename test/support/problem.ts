import { type ApiErrorCode, PROBLEMS } from "@sealway/kernel"
import { expect } from "vitest"
import * as z from "zod"
import type { Answer } from "./service.ts"

/** Expects a problem body of a code, with everything a problem body must have. */
export function expectProblem(answer: Answer, code: ApiErrorCode): void {
  const { api: status, title } = PROBLEMS[code]
  expect(answer.json).toMatchObject({ code, status, title, detail: expect.stringMatching(/.+\.$/) })
  expect(answer.status).toBe(status)
  expect(answer.headers.get("content-type")).toBe("application/problem+json")
}

const fieldsSchema = z.object({ fields: z.array(z.object({ pointer: z.string() })).default([]) })

/** Returns the fields that a problem body names. */
export function pointersOf({ json }: Answer): string[] {
  return fieldsSchema.parse(json).fields.map(({ pointer }) => pointer)
}
