import { CDATA, TEXT, type XmlDocument } from "./xml-document.ts"

const CDATA_START_BYTES = "<![CDATA[".length
const CDATA_END_BYTES = "]]>".length

/**
 * Text between two tags, comments or processing instructions, in pieces: text, and CDATA sections. It is one value.
 * White space around it is not part of it, and white space alone is not a value; in CDATA sections white space is text.
 */
export class TextRun {
  readonly #bytes: Buffer
  readonly #document: XmlDocument
  #start = -1
  #end = -1
  #startsInCdata = false
  #endsInCdata = false

  constructor(bytes: Buffer, document: XmlDocument) {
    this.#bytes = bytes
    this.#document = document
  }

  addText(from: number, to: number): void {
    let start = from
    let end = to
    while (start < end && isXmlSpace(this.#bytes[start])) start++
    if (start === end) return
    while (isXmlSpace(this.#bytes[end - 1])) end--
    this.#extend(start, end, false)
  }

  /** @param from the first byte in the section, not of it */
  addCdata(from: number, to: number): void {
    if (from < to) this.#extend(from, to, true)
  }

  /** Adds the text so far to the document, and starts over. */
  flush(): void {
    if (this.#start === -1) return
    if (this.#startsInCdata && this.#endsInCdata) this.#document.addText(this.#start, this.#end, CDATA)
    else {
      const start = this.#startsInCdata ? this.#start - CDATA_START_BYTES : this.#start
      const end = this.#endsInCdata ? this.#end + CDATA_END_BYTES : this.#end
      this.#document.addText(start, end, TEXT)
    }
    this.#start = -1
  }

  #extend(start: number, end: number, inCdata: boolean): void {
    if (this.#start === -1) {
      this.#start = start
      this.#startsInCdata = inCdata
    }
    this.#end = end
    this.#endsInCdata = inCdata
  }
}

/** XML 1.0, production 3. */
export function isXmlSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0d
}
