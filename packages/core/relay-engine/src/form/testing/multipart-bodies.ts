import type { MultipartLimits } from "../multipart-limits.ts"
import type { PartHead } from "../part-head.ts"
import { type PartRewrite, rewriteMultipart } from "../rewrite-multipart.ts"

/** With characters that need escaping in regular expressions and shells. */
export const BOUNDARY = "----x.Y'7"
export const latin1 = (text: string) => Buffer.from(text, "latin1")

export interface Part {
  /** The lines of its headers. */
  readonly head: string
  /** The parsed name. */
  readonly name: string
  readonly filename?: string
  readonly content: string
}

export const field = (
  name: string,
  content: string,
  head = `Content-Disposition: form-data; name="${name}"`,
): Part => ({ head, name, content })
export const file = (name: string, filename: string, content: string, head?: string): Part => ({
  ...field(name, content),
  filename,
  head:
    head ??
    `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: application/octet-stream`,
})

export interface Frame {
  readonly preamble?: string
  readonly epilogue?: string
}

export function render(
  parts: readonly Part[],
  { preamble = "", epilogue = "\r\n" }: Frame = {},
  contentOf = ({ content }: Part) => content,
): Buffer {
  const rendered = parts.map((part) => `--${BOUNDARY}\r\n${part.head}\r\n\r\n${contentOf(part)}\r\n`)
  return latin1(`${preamble}${rendered.join("")}--${BOUNDARY}--${epilogue}`)
}

export async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export async function rewritten(
  body: Buffer,
  rewrite: (part: PartHead) => PartRewrite,
  { size = body.length, ...limits }: Partial<MultipartLimits> & { size?: number } = {},
): Promise<Buffer> {
  return Buffer.concat(
    await Array.fromAsync(rewriteMultipart(inChunks(body, size), BOUNDARY, rewrite, limits)),
  )
}

export const refusalOf = (body: Buffer | string, limits: Partial<MultipartLimits> & { size?: number } = {}) =>
  rewritten(typeof body === "string" ? latin1(body) : body, () => "pass", limits).then(
    () => null,
    (error: unknown) => error,
  )

export const seal = (content: Buffer) => latin1(`ev:<${content.toString("latin1")}>`)
/** Seals fields and files called `card`, fields at once and files as a stream. */
export const sealCards = ({ name, filename }: PartHead): PartRewrite => {
  if (name !== "card") return "pass"
  if (filename === null) return { value: async (content) => seal(content) }
  return {
    async *file(content) {
      yield latin1("ev:<")
      yield* content
      yield latin1(">")
    },
  }
}
export const sealed = (part: Part) =>
  part.name === "card" ? seal(latin1(part.content)).toString("latin1") : part.content
