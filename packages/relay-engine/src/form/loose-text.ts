import type { PartHints } from "./part-head.ts"

const LINE_FEED = Buffer.from("\n")

/**
 * What a field's bytes say, and below that what they say to readers that undo its transfer encoding (Django, Go,
 * Python's email) or take it for UTF-16: to be looked into, and never to be written.
 */
export function looseText(content: Buffer, { transferEncoding, charset }: PartHints): Buffer {
  const decoded = charset?.startsWith("utf-16")
    ? Buffer.from(content.filter((byte) => byte !== 0))
    : decodeTransfer(content, transferEncoding)
  return decoded.equals(content) ? content : Buffer.concat([content, LINE_FEED, decoded])
}

function decodeTransfer(content: Buffer, encoding: string): Buffer {
  switch (encoding) {
    case "base64":
      return Buffer.from(content.toString("latin1"), "base64")
    case "quoted-printable": {
      const text = content.toString("latin1").replace(/=\r?\n/g, "")
      const character = (_: string, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))
      return Buffer.from(text.replace(/=([0-9A-Fa-f]{2})/g, character), "latin1")
    }
    default:
      return content
  }
}
