import { Readable, Writable } from "node:stream"
import express, { type RequestHandler } from "express"
import formidable from "formidable"
import multer from "multer"

/** A form as it arrives. */
export interface SentForm {
  readonly contentType: string
  readonly body: Buffer
}

/** Returns what an application gets from a form under a name, fields and files, as one text. */
export type FormReader = (form: SentForm, name: string) => Promise<string>

/** Parsers for Node.js, by their names in the cases. */
export const NODE_READERS: ReadonlyMap<string, FormReader> = new Map([
  ["Express", byMiddleware(express.urlencoded({ extended: false }))],
  ["qs", byMiddleware(express.urlencoded({ extended: true }))],
  ["multer", byMiddleware(multer().any())],
  ["formidable", readWithFormidable],
  ["URLSearchParams", readWithSearchParams],
  ["fetch", readWithFetch],
])

function byMiddleware(middleware: RequestHandler): FormReader {
  return async (form, name) => {
    const request = Object.assign(requestOf(form), { body: undefined, files: undefined })
    await new Promise<void>((resolve) => {
      // Neither uses anything but the stream and its headers.
      Reflect.apply(middleware, undefined, [request, {}, () => resolve()])
    })
    const files: unknown[] = Array.isArray(request.files) ? request.files : []
    const contents = files.flatMap((file) =>
      memberOf(file, "fieldname") === name ? [String(memberOf(file, "buffer"))] : [],
    )
    return JSON.stringify([valueAt(request.body, name), contents])
  }
}

async function readWithFormidable(form: SentForm, name: string): Promise<string> {
  const contents = new Map<string, string>()
  let open = ""
  const reader = formidable({
    allowEmptyFiles: true,
    minFileSize: 0,
    fileWriteStreamHandler: () => {
      const field = open
      return new Writable({
        write(chunk: Buffer, _encoding, done) {
          contents.set(field, (contents.get(field) ?? "") + chunk.toString("latin1"))
          done()
        },
      })
    },
  })
  reader.on("fileBegin", (field) => {
    open = field
  })
  const seen: Record<string, unknown> = {}
  reader.on("field", (field: string, value: string) => {
    seen[field] = value
  })
  const fields = await new Promise<unknown>((resolve) => {
    const done = (error: unknown, all: unknown) => resolve(error ? seen : all)
    Reflect.apply(reader.parse, reader, [requestOf(form), done])
  })
  return JSON.stringify([valueAt(fields, name), contents.get(name)])
}

async function readWithSearchParams({ body }: SentForm, name: string): Promise<string> {
  return JSON.stringify(new URLSearchParams(body.toString()).getAll(name))
}

async function readWithFetch({ contentType, body }: SentForm, name: string): Promise<string> {
  try {
    const form = await new Response(new Uint8Array(body), {
      headers: { "content-type": contentType },
    }).formData()
    const values = form.getAll(name).map((value) => (typeof value === "string" ? value : value.text()))
    return JSON.stringify(await Promise.all(values))
  } catch {
    return ""
  }
}

function requestOf({ contentType, body }: SentForm) {
  return Object.assign(Readable.from([body]), {
    method: "POST",
    url: "/",
    headers: { "content-type": contentType, "content-length": `${body.length}` },
  })
}

/** Finds by the name itself, and by the path that it spells: `items[0][card]` and `items.0.card` are the same here. */
function valueAt(fields: unknown, name: string): unknown {
  let nested = fields
  for (const step of name.split(/[[\].]+/)) if (step !== "") nested = memberOf(nested, step)
  return [memberOf(fields, name), nested]
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}
