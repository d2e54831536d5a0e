/** The plaintext in the documents of the cases. */
export const XML_PLAINTEXT = "4242"

/**
 * A document that some parser reads differently than the relay: it would see plaintext in place of an encrypted value.
 */
export interface XmlReaderCase {
  /** The parsers that read it so. The installable ones are tested by `test/relay/document-readers.test.ts`. */
  readonly readers: readonly string[]
  readonly what: string
  /** What is encrypted. */
  readonly selector: string
  readonly document: string
}

const read = (readers: string, what: string, selector: string, document: string): XmlReaderCase => ({
  readers: readers.split(", "),
  what,
  selector,
  document,
})

/** Cases about names. */
export const XML_NAME_CASES: readonly XmlReaderCase[] = [
  read("Jackson, Rails", "an attribute for an element", "$.o.card", '<o card="4242"/>'),
  read("Jackson, Rails", "an attribute beside the element", "$.o.card", '<o card="4242"><card>1</card></o>'),
  read(
    "xml2js with mergeAttrs",
    "an attribute, at a position",
    "$.o.card[1]",
    '<o card="4242"><card>1</card><card>1</card></o>',
  ),
  read("Jackson, Rails", "an attribute, at any depth", "$..card", '<o><x card="4242"/></o>'),
  read("Jackson, Rails", "an attribute for the own text", "$.o.card['#text']", '<o card="4242"/>'),
  read("Jackson, Rails", "an attribute, below a wildcard", "$.*.card", '<o card="4242"/>'),
  read("Jackson, Rails", "an element for an attribute", "$.o['@id']", "<o><id>4242</id></o>"),
  read("Jackson, Rails", "the same as CDATA", "$.o['@id']", "<o><id><![CDATA[4242]]></id></o>"),
  read("Go, Jackson", "an attribute of another prefix", "$.o['@n']", '<o xmlns:p="u" p:n="4242"/>'),
  read("Jackson", "such an attribute for an element", "$.o.n", '<o xmlns:p="u" p:n="4242"/>'),
  read("PHP", "capital letters", "$.o.card", "<o><CARD>4242</CARD></o>"),
  read("PHP", "capital letters on the way", "$.o.card.number", "<O><CARD><NUMBER>4242</NUMBER></CARD></O>"),
  read("Jackson without case", "an attribute", "$.o['@card']", '<o Card="4242"/>'),
  read("Jackson without case", "the long s", "$.o.secret", "<o><\u017fecret>4242</\u017fecret></o>"),
  read("Jackson without case", "another prefix", "$.o.card", '<o xmlns:p="u"><p:Card>4242</p:Card></o>'),
  read("Jackson without case", "at a position", "$.o.card[1]", "<o><card>1</card><Card>4242</Card></o>"),
  read("Rails", "dashes", "$.o.card_number", "<o><card-number>4242</card-number></o>"),
  read(
    "Jackson",
    "an attribute in the test of a filter",
    "$.o.i[?@.type == 'card'].n",
    '<o><i type="card"><n>4242</n></i></o>',
  ),
  read(
    "Rails",
    "an element in the test of a filter",
    "$.o.i[?@['@type'] == 'card'].n",
    "<o><i><type>card</type><n>4242</n></i></o>",
  ),
]

/** Parsers that ignore the name of the root. */
const ROOTLESS = "Jackson, Go, PHP with SimpleXML, ElementTree"

/** Cases about a document's root. */
export const XML_ROOT_CASES: readonly XmlReaderCase[] = [
  read(ROOTLESS, "another root", "$.o.card", "<x><card>4242</card></x>"),
  read(
    ROOTLESS,
    "another root, further down",
    "$.o.card.number",
    "<x><card><number>4242</number></card></x>",
  ),
  read(ROOTLESS, "another root, an attribute of it", "$.o['@n']", '<x n="4242"/>'),
  read(ROOTLESS, "another root, an attribute further down", "$.o.card['@n']", '<x><card n="4242"/></x>'),
  read(ROOTLESS, "another root, its text", "$.card", "<x>4242</x>"),
  read(ROOTLESS, "another root, at a position", "$.o.i[1]", "<x><i>1</i><i>4242</i></x>"),
  read(ROOTLESS, "a root of another namespace", "$['p:o'].card", '<p:x xmlns:p="u"><card>4242</card></p:x>'),
]

/** Parsers that drop prefixes. */
const LOCAL = "fast-xml-parser, ElementTree, Jackson, Go"

/** Cases about positions: elements that are counted differently. */
export const XML_POSITION_CASES: readonly XmlReaderCase[] = [
  read(LOCAL, "a prefix", "$.o.i[1]", '<o xmlns:p="u"><i>1</i><p:i>4242</p:i><i>1</i></o>'),
  read(LOCAL, "a prefix, from the end", "$.o.i[-2]", '<o xmlns:p="u"><i>1</i><i>4242</i><p:i>1</p:i></o>'),
  read(
    LOCAL,
    "a prefix, a slice",
    "$.o.i[1:2].n",
    '<o xmlns:p="u"><i><n>1</n></i><p:i><n>4242</n></p:i><i><n>1</n></i></o>',
  ),
  read(LOCAL, "no prefix", "$.o['p:i'][1]", '<o xmlns:p="u"><i>1</i><p:i>4242</p:i><p:i>1</p:i></o>'),
  read(LOCAL, "a prefix, at any depth", "$..i[1]", '<o xmlns:p="u"><x><i>1</i><p:i>4242</p:i></x></o>'),
  read(LOCAL, "a prefix, of whatever name", "$.o.*[1]", '<o xmlns:p="u"><i>1</i><p:i>4242</p:i></o>'),
  read(
    LOCAL,
    "a prefix on the way",
    "$.o.i[1].x[0].n",
    '<o xmlns:p="u"><i/><p:i><x><n>4242</n></x></p:i></o>',
  ),
  read(
    LOCAL,
    "a prefix in the test of a filter",
    "$.o.i[?@.t[1] == 'card'].n",
    '<o xmlns:p="u"><i><t>cash</t><p:t>card</p:t><n>4242</n></i></o>',
  ),
  read(
    "ElementTree by namespace",
    "another default namespace",
    "$.o.i[1]",
    '<o><i xmlns="u">1</i><i>1</i><i>4242</i></o>',
  ),
  read(
    "ElementTree by namespace",
    "another namespace for a prefix",
    "$.o['p:i'][1]",
    '<o><p:i xmlns:p="v">1</p:i><p:i xmlns:p="u">1</p:i><p:i xmlns:p="u">4242</p:i></o>',
  ),
  read(
    "ElementTree by namespace, fast-xml-parser, ElementTree, Jackson, Go",
    "two prefixes of one namespace",
    "$.o.i[1]",
    '<o xmlns:a="u" xmlns:b="u"><a:i>1</a:i><b:i>4242</b:i></o>',
  ),
]
