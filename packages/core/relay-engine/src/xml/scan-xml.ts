import { isUtf8 } from "node:buffer"
import { finish, type Work } from "@sealway/kernel"
import { type BodyMemory, UNCOUNTED } from "../body/body-memory.ts"
import { UnreadableBodyError } from "../body/located-body.ts"
import { startOfUtf8 } from "../encodings/byte-order-mark.ts"
import type { Charset } from "../encodings/charset.ts"
import { NamespaceScope } from "./namespace-scope.ts"
import { decodeAttribute, endOfReference } from "./references.ts"
import { isXmlSpace, TextRun } from "./text-run.ts"
import { isDeclarationOf, MAX_DECLARATION_BYTES } from "./xml-declaration.ts"
import { DOCUMENT, XmlDocument } from "./xml-document.ts"

export interface XmlLimits {
  /** The maximum nesting of elements. Default: 256. */
  readonly maxDepth: number
  /** The maximum number of elements; attributes and texts may be as many. Default: 1,000,000. */
  readonly maxNodes: number
}

const BYTES_PER_STEP = 8_192
const ATTRIBUTES_PER_STEP = 512
/** For bytes that are only checked for characters outside XML. */
const CHECKED_BYTES_PER_STEP = 131_072

const LT = 0x3c
const GT = 0x3e
const SLASH = 0x2f
const BANG = 0x21
const QUESTION = 0x3f
const EQUALS = 0x3d
const AMPERSAND = 0x26
const BRACKET = 0x5d
const QUOTE = 0x22
const APOSTROPHE = 0x27

/** Bytes that end a name: white space, and delimiters. Other characters are checked once per name. */
const ENDS_NAME = new Uint8Array(256)
for (const character of "\t\n\r <>/=?!&'\"") ENDS_NAME[character.charCodeAt(0)] = 1

/**
 * Scans an XML 1.0 document with namespaces, strictly, in one pass, in steps and without recursion.
 *
 * @param bytes UTF-8, with or without a byte order mark
 * @param charset the document's charset before it was UTF-8: a declared encoding must match it
 * @param memory counts its elements and values. Default: no accounting
 * @throws UnreadableBodyError when it is not well-formed, has a DOCTYPE (so no entity can be declared), or is beyond a
 * limit
 */
export function* scanXmlInSteps(
  bytes: Buffer,
  { maxDepth, maxNodes }: XmlLimits,
  charset: Charset,
  memory: BodyMemory = UNCOUNTED,
): Work<XmlDocument> {
  const document = new XmlDocument(bytes, maxNodes, memory)
  yield* new Scanner(bytes, document, maxDepth).scan(charset)
  return document
}

class Scanner {
  readonly #bytes: Buffer
  readonly #document: XmlDocument
  readonly #maxDepth: number
  readonly #namespaces = new NamespaceScope()
  readonly #run: TextRun
  /** By name number, the last element that had an attribute with the name. */
  readonly #attributeOf: number[] = []
  #at = 0
  #elements = 0
  /** The values of the prefixed attributes in the current start tag. */
  #prefixed: number[] = []
  /** Whether a start tag has more attributes than one step reads. */
  #isInTag = false

  constructor(bytes: Buffer, document: XmlDocument, maxDepth: number) {
    this.#bytes = bytes
    this.#document = document
    this.#maxDepth = maxDepth
    this.#run = new TextRun(bytes, document)
  }

  *scan(charset: Charset): Work<void> {
    yield* this.#requireCharacters()
    this.#at = startOfUtf8(this.#bytes)
    this.#readDeclaration(charset)
    let stepEnd = BYTES_PER_STEP
    while (this.#at < this.#bytes.length) {
      if (this.#at >= stepEnd) {
        stepEnd = this.#at + BYTES_PER_STEP
        yield
      }
      if (this.#bytes[this.#at] !== LT) {
        const start = this.#at
        while (!this.#readText(start)) yield
      } else {
        this.#readMarkup()
        if (this.#isInTag) yield* this.#readLargeTag()
      }
    }
    if (this.#elements === 0 || this.#document.depth > 0) throw malformed("ends too early")
    this.#document.finish(this.#namespaces.numbers)
  }

  #readMarkup(): void {
    const next = this.#bytes[this.#at + 1]
    if (next === BANG && this.#startsWith("<![CDATA[")) this.#readCdata()
    else {
      this.#run.flush()
      if (next === SLASH) this.#readEndTag()
      else if (next === BANG) this.#readComment()
      else if (next === QUESTION) this.#readInstruction()
      else this.#readStartTag()
    }
  }

  #readStartTag(): void {
    const document = this.#document
    if (document.open === DOCUMENT && this.#elements > 0) throw malformed("has two root elements")
    if (document.depth === this.#maxDepth) {
      throw new UnreadableBodyError("too-large", "The XML document is nested too deeply.")
    }
    this.#at++
    const name = this.#readName()
    document.openElement(name)
    this.#elements++
    this.#namespaces.open()
    this.#prefixed = []
    this.#isInTag = !this.#readAttributes()
    if (this.#isInTag) return
    this.#setNamespace()
    const seen = new Set<string>()
    for (const attribute of this.#prefixed) this.#readNamespace(attribute, seen)
    this.#beginContent()
  }

  /** Reads the rest of a start tag with many attributes. */
  *#readLargeTag(): Work<void> {
    this.#isInTag = false
    do yield
    while (!this.#readAttributes())
    this.#setNamespace()
    const seen = new Set<string>()
    for (const [index, attribute] of this.#prefixed.entries()) {
      if (index % ATTRIBUTES_PER_STEP === 0) yield
      this.#readNamespace(attribute, seen)
    }
    this.#beginContent()
  }

  /** Sets the current element's namespace, when all of its attributes are known. */
  #setNamespace(): void {
    const document = this.#document
    const { prefix } = document.names.get(document.name(document.open))
    document.setNamespace(prefix === null ? this.#namespaces.default : this.#namespaceOf(prefix))
  }

  #beginContent(): void {
    this.#document.beginContent()
    if (this.#bytes[this.#at] === SLASH) {
      this.#at++
      this.#close()
    }
    if (this.#bytes[this.#at++] !== GT) throw malformed("has a malformed tag")
  }

  /** Reads one step's worth of attributes. @returns whether these were all */
  #readAttributes(): boolean {
    const { names, open } = this.#document
    for (let count = 0; count < ATTRIBUTES_PER_STEP; count++) {
      const spaced = this.#skipSpace()
      const next = this.#bytes[this.#at]
      if (next === GT || next === SLASH) return true
      if (!spaced) throw malformed("has a malformed tag")
      const name = this.#readName()
      if (this.#attributeOf[name] === open) throw malformed("has the same attribute twice")
      this.#attributeOf[name] = open
      this.#skipSpace()
      if (this.#bytes[this.#at++] !== EQUALS) throw malformed("has an attribute without a value")
      this.#skipSpace()
      const start = this.#at + 1
      this.#readQuoted()
      const end = this.#at - 1
      const { qualified, prefix, local } = names.get(name)
      if (qualified === "xmlns" || prefix === "xmlns") {
        const uri = finish(decodeAttribute(this.#bytes.subarray(start, end))).toString()
        this.#namespaces.declare(prefix === null ? null : local, uri)
      } else {
        const attribute = this.#document.addAttribute(name, start, end)
        if (prefix !== null) this.#prefixed.push(attribute)
      }
    }
    return false
  }

  #readQuoted(): void {
    const quote = this.#bytes[this.#at]
    if (quote !== QUOTE && quote !== APOSTROPHE) throw malformed("has an attribute without quotes")
    this.#at++
    for (let byte = this.#bytes[this.#at]; byte !== quote; byte = this.#bytes[this.#at]) {
      if (byte === undefined || byte === LT) throw malformed("has a malformed attribute")
      if (byte === AMPERSAND) this.#skipReference()
      else this.#at++
    }
    this.#at++
  }

  #readEndTag(): void {
    const { open, names } = this.#document
    const start = this.#at + 2
    this.#at = start
    while (ENDS_NAME[this.#bytes[this.#at] ?? LT] === 0) this.#at++
    const isOpen = open !== DOCUMENT && names.isAt(this.#document.name(open), start, this.#at)
    this.#skipSpace()
    if (!isOpen || this.#bytes[this.#at++] !== GT) throw malformed("has an end tag without a start tag")
    this.#close()
  }

  #close(): void {
    this.#document.closeElement()
    this.#namespaces.close()
  }

  /** Continues reading the text that starts at `start`, for at most one step. @returns whether that was all of it */
  #readText(start: number): boolean {
    const stepEnd = this.#at + BYTES_PER_STEP
    for (let byte = this.#bytes[this.#at]; byte !== LT && byte !== undefined; byte = this.#bytes[this.#at]) {
      if (this.#at >= stepEnd) return false
      if (byte === AMPERSAND) this.#skipReference()
      else {
        if (byte === GT && this.#at - start >= 2 && this.#endsCdata()) throw malformed("has ]]> in text")
        this.#at++
      }
    }
    if (this.#document.open === DOCUMENT) this.#requireSpace(start)
    else this.#run.addText(start, this.#at)
    return true
  }

  #endsCdata(): boolean {
    return this.#bytes[this.#at - 1] === BRACKET && this.#bytes[this.#at - 2] === BRACKET
  }

  #readCdata(): void {
    if (this.#document.open === DOCUMENT) throw malformed("has text outside of its root element")
    const start = this.#at + "<![CDATA[".length
    const end = this.#bytes.indexOf("]]>", start, "latin1")
    if (end === -1) throw malformed("ends too early")
    this.#run.addCdata(start, end)
    this.#at = end + 3
  }

  #readComment(): void {
    // A DOCTYPE also ends up here.
    if (!this.#startsWith("<!--")) throw malformed("has a markup declaration, which is not supported")
    const end = this.#bytes.indexOf("--", this.#at + 4, "latin1")
    if (end === -1 || this.#bytes[end + 2] !== GT) throw malformed("has a malformed comment")
    this.#at = end + 3
  }

  #readInstruction(): void {
    this.#at += 2
    const { qualified } = this.#document.names.get(this.#readName())
    const end = this.#bytes.indexOf("?>", this.#at, "latin1")
    const isSpaced = end === this.#at || isXmlSpace(this.#bytes[this.#at])
    if (end === -1 || !isSpaced || qualified.includes(":") || qualified.toLowerCase() === "xml") {
      throw malformed("has a malformed processing instruction")
    }
    this.#at = end + 2
  }

  #readDeclaration(charset: Charset): void {
    if (!this.#startsWith("<?xml") || !isXmlSpace(this.#bytes[this.#at + 5])) return
    const end = this.#bytes.subarray(0, this.#at + MAX_DECLARATION_BYTES).indexOf("?>", this.#at, "latin1")
    if (end === -1 || !isDeclarationOf(this.#bytes.toString("latin1", this.#at, end), charset)) {
      throw malformed("has a malformed XML declaration, or one with another encoding")
    }
    this.#at = end + 2
  }

  #readName(): number {
    const start = this.#at
    while (ENDS_NAME[this.#bytes[this.#at] ?? LT] === 0) this.#at++
    return this.#document.names.intern(start, this.#at)
  }

  #skipReference(): void {
    const end = endOfReference(this.#bytes, this.#at)
    if (end === -1) throw malformed("has an unknown entity reference")
    this.#at = end
  }

  #skipSpace(): boolean {
    const start = this.#at
    while (isXmlSpace(this.#bytes[this.#at])) this.#at++
    return this.#at > start
  }

  #startsWith(text: string): boolean {
    const expected = Buffer.from(text)
    return this.#bytes.subarray(this.#at, this.#at + expected.length).equals(expected)
  }

  #requireSpace(start: number): void {
    for (let at = start; at < this.#at; at++) {
      if (!isXmlSpace(this.#bytes[at])) throw malformed("has text outside of its root element")
    }
  }

  #namespaceOf(prefix: string): number {
    if (prefix === "xmlns") throw malformed("has an element in the xmlns namespace")
    return this.#namespaces.numberOf(prefix)
  }

  /**
   * Two prefixes of one namespace can make two attributes the same.
   *
   * @param seen names of the tag's earlier attributes
   */
  #readNamespace(attribute: number, seen: Set<string>): void {
    const { prefix, local } = this.#document.names.get(this.#document.attributeName(attribute))
    const namespace = this.#namespaces.numberOf(prefix ?? "")
    this.#document.setAttributeNamespace(attribute, namespace)
    const expanded = `${namespace} ${local}`
    if (seen.has(expanded)) throw malformed("has the same attribute twice")
    seen.add(expanded)
  }

  /** Checks for valid UTF-8 and XML characters: no controls, neither U+FFFE nor U+FFFF. */
  *#requireCharacters(): Work<void> {
    const bytes = this.#bytes
    if (!isUtf8(bytes)) throw malformed("is not UTF-8")
    for (let at = 0; at < bytes.length; at += CHECKED_BYTES_PER_STEP) {
      if (at > 0) yield
      this.#requireCharactersOf(at, Math.min(at + CHECKED_BYTES_PER_STEP, bytes.length))
    }
  }

  #requireCharactersOf(start: number, end: number): void {
    const bytes = this.#bytes
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0
      if (
        byte < 0x20
          ? !isXmlSpace(byte)
          : byte === 0xef && bytes[at + 1] === 0xbf && (bytes[at + 2] ?? 0) >= 0xbe
      ) {
        throw malformed("has a character that XML does not allow")
      }
    }
  }
}

function malformed(what: string): UnreadableBodyError {
  return new UnreadableBodyError("malformed", `The XML document ${what}.`)
}
