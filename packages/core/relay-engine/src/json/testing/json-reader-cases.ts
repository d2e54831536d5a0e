/** The plaintext in the bodies of the cases. */
export const JSON_PLAINTEXT = "4242"

/** A body that some parser reads differently than the relay: it would see plaintext in place of an encrypted value. */
export interface JsonReaderCase {
  /** The parsers that read it so. The installable ones are tested by `test/relay/document-readers.test.ts`. */
  readonly readers: readonly string[]
  readonly what: string
  /** What is encrypted. */
  readonly selector: string
  readonly body: string
}

const read = (readers: string, what: string, selector: string, body: string): JsonReaderCase => ({
  readers: readers.split(", "),
  what,
  selector,
  body,
})

export const JSON_READER_CASES: readonly JsonReaderCase[] = [
  read("Go", "letter case", "$.card.number", '{"CARD":{"NUMBER":"4242"}}'),
  read("Go", "letter case, beside it", "$.card.number", '{"card":{"number":"1"},"Card":{"number":"4242"}}'),
  read("Go", "the long s", "$.secret", '{"\u017fecret":"4242"}'),
  read("Go", "the Kelvin sign", "$.key", '{"\u212aey":"4242"}'),
  read("Go", "an escape", "$.key", '{"\\u212aey":"4242"}'),
  read("Go", "other scripts", "$.имя", '{"ИМЯ":"4242"}'),
  read("ASP.NET", "letter case", "$.cardNumber", '{"cardnumber":"4242"}'),
  read("Newtonsoft.Json", "letter case, at any depth", "$..number", '{"a":[{"Number":"4242"}]}'),
  read("cJSON", "letter case", "$.number", '{"NUMBER":"4242"}'),
  read("Java, equalsIgnoreCase", "the dotless i", "$.pin", '{"p\u0131n":"4242"}'),
  read("Java, equalsIgnoreCase", "the dotted I", "$.pin", '{"P\u0130N":"4242"}'),
  read("Protocol Buffers", "an underscore", "$.cardNumber", '{"card_number":"4242"}'),
  read("Protocol Buffers", "no underscore", "$.card_number", '{"cardNumber":"4242"}'),
  read("fastjson", "underscores and dashes", "$.number", '{"_num-ber_":"4242"}'),
  read("json-c", "the end of a string in C", "$.number", '{"number\\u0000x":"4242"}'),
  read(
    "Go",
    "letter case in the test of a filter",
    "$.list[?@.type == 'card'].number",
    '{"list":[{"TYPE":"card","number":"4242"}]}',
  ),
  read("JavaScript, PHP", "a position in an object", "$.items[0].card", '{"items":{"0":{"card":"4242"}}}'),
  read("JavaScript", "any position", "$.items[-1].card", '{"items":{"length":1,"7":{"card":"4242"}}}'),
  read("JavaScript, PHP", "a slice", "$.items[0:2].card", '{"items":{"\\u0030":{"card":"4242"}}}'),
  read("JavaScript, PHP", "a name in an array", "$.items['1'].card", '{"items":[0,{"card":"4242"}]}'),
  read("JavaScript, Object.assign", "a prototype", "$.card", '{"__proto__":{"card":"4242"}}'),
  read(
    "JavaScript, Object.assign",
    "a prototype that begins with an escape",
    "$.card",
    '{"_\\u005fproto__":{"card":"4242"}}',
  ),
  read(
    "JavaScript, Object.assign",
    "a prototype with an escape",
    "$.a.card",
    '{"a":{"__pr\\u006fto__":{"card":"4242"}}}',
  ),
  read("Swift, JSONDecoder", "a letter that is not composed", "$.größe", '{"gro\u0308ße":"4242"}'),
  read("Swift, JSONDecoder", "a letter that is composed", "$.gro\u0308ße", '{"größe":"4242"}'),
  read("Swift, JSONDecoder", "the same with an escape", "$.größe", '{"gro\\u0308ße":"4242"}'),
  read("fastjson2", "a blank", "$.cardNumber", '{"card number":"4242"}'),
  read("fastjson2", "blanks and dashes", "$.cardNumber", '{" card - number ":"4242"}'),
  read("fastjson, Jackson", "one value for a list", "$.items[*].card", '{"items":{"card":"4242"}}'),
  read("fastjson, Jackson", "one value for the whole list", "$[*].card", '{"card":"4242"}'),
  read("fastjson, Jackson", "one text for a list", "$.cards[*]", '{"cards":"4242"}'),
  read("fastjson, Jackson", "one text for a list with a position", "$.cards[0]", '{"cards":"4242"}'),
  read(
    "fastjson, Jackson",
    "one value for a list with a filter",
    "$.list[?@.type == 'card'].number",
    '{"list":{"type":"card","number":"4242"}}',
  ),
  read("fastjson, Jackson", "a list for one value", "$.card.number", '{"card":[{"number":"4242"}]}'),
  read("fastjson, Jackson", "a list for the whole", "$.number", '[{"number":"4242"}]'),
  read(
    "fastjson, Jackson",
    "a list in a list for one value",
    "$.card.number",
    '{"card":[[{"number":"4242"}]]}',
  ),
  read("lodash, get", "a dotted name", "$.card.number", '{"card.number":"4242"}'),
  read("lodash, get", "a name with a position", "$.items[0].card", '{"items[0].card":"4242"}'),
  read("lodash, get", "a name with quotes", "$.card.number", '{"card[\'number\']":"4242"}'),
  read("lodash, get", "a dotted name within", "$.order.card.number", '{"order":{"card.number":"4242"}}'),
  read(
    "lodash, get",
    "a dotted name of an object",
    "$.order.card.number",
    '{"order.card":{"number":"4242"}}',
  ),
  read("lodash, get", "a dotted name below a wildcard", "$.*.number", '{"card.number":"4242"}'),
  read("lodash, get", "a dotted name at any depth", "$..number", '{"a":[{"card.number":"4242"}]}'),
  read("lodash, set", "a dotted name in what is selected", "$.card", '{"card.number":"4242"}'),
  read("lodash, set", "a dotted name with an escape", "$.card.number", '{"card\\u002enumber":"4242"}'),
  read(
    "lodash, set, and fastjson",
    "a dotted name without a position",
    "$.items[*].card",
    '{"items.card":"4242"}',
  ),
  read(
    "lodash, set, and Go",
    "a dotted name in another letter case",
    "$.card.number",
    '{"Card.Number":"4242"}',
  ),
  read("Go", "letter case below a wildcard", "$.*.number", '{"a":{"Number":"4242"}}'),
]
