/** Passes every type, of bodies that the relay knows: see `RelayOptions.passContentTypes`. */
export const ANY_TYPE = "*"
/** Says nothing about its content, so whatever it contains passes. */
export const UNTYPED = "application/octet-stream"

/** Bytes as Latin-1 characters, and where they are. */
interface Signature {
  readonly at: number
  readonly text: string
}

const starts = (...texts: readonly string[]): readonly (readonly Signature[])[] =>
  texts.map((text) => [{ at: 0, text }])
/** ISO base media files: a size, then `ftyp` and a brand. */
const brands = (...names: readonly string[]): readonly (readonly Signature[])[] =>
  names.map((name) => [{ at: 4, text: `ftyp${name}` }])
const riff = (form: string): readonly (readonly Signature[])[] => [
  [
    { at: 0, text: "RIFF" },
    { at: 8, text: form },
  ],
]

const ZIP = starts("PK\x03\x04", "PK\x05\x06")
const COMPOUND = starts("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
const TIFF = starts("II*\0", "MM\0*")
const MPEG_AUDIO = starts("ID3", "\xff\xfb", "\xff\xf3", "\xff\xf2")

/**
 * What contents of a type begin with (WHATWG MIME Sniffing, section 6, and the formats' own specifications): one of these
 * lists, all of it. A type that is not here has nothing by which it can be told from JSON, XML or a form.
 */
const SIGNATURES: ReadonlyMap<string, readonly (readonly Signature[])[]> = new Map([
  ["image/png", starts("\x89PNG\r\n\x1a\n")],
  ["image/jpeg", starts("\xff\xd8\xff")],
  ["image/gif", starts("GIF87a", "GIF89a")],
  ["image/webp", riff("WEBPVP8")],
  ["image/tiff", TIFF],
  ["image/avif", brands("avif", "avis")],
  ["image/heic", brands("heic", "heix", "mif1")],
  ["video/mp4", brands("")],
  ["video/quicktime", brands("qt  ")],
  ["video/webm", starts("\x1a\x45\xdf\xa3")],
  ["audio/mp4", brands("")],
  ["audio/mpeg", MPEG_AUDIO],
  ["audio/ogg", starts("OggS\0")],
  ["audio/wav", riff("WAVE")],
  ["audio/webm", starts("\x1a\x45\xdf\xa3")],
  ["application/pdf", starts("%PDF-")],
  ["application/zip", ZIP],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", ZIP],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ZIP],
  ["application/vnd.openxmlformats-officedocument.presentationml.presentation", ZIP],
  ["application/msword", COMPOUND],
  ["application/vnd.ms-excel", COMPOUND],
  ["application/gzip", starts("\x1f\x8b\x08")],
  ["font/woff", starts("wOFF")],
  ["font/woff2", starts("wOF2")],
])

/** What `RelayOptions.passContentTypes` may list. */
export const PASSABLE_TYPES: readonly string[] = [ANY_TYPE, UNTYPED, ...SIGNATURES.keys()]

/** Enough of a body to recognise its type. */
export const SIGNATURE_BYTES = 16

/** Whether a body begins like one of its type. Nothing tells what `application/octet-stream` begins with. */
export function beginsAsType(head: Buffer, type: string): boolean {
  if (type === UNTYPED) return true
  const wanted = SIGNATURES.get(type) ?? []
  return wanted.some((signature) =>
    signature.every(({ at, text }) => head.toString("latin1", at, at + text.length) === text),
  )
}
