import { spliceBytes } from "@sealway/kernel"
import fc from "fast-check"
import { XMLValidator } from "fast-xml-parser"
import { describe, expect, test } from "vitest"
import { encodeAtOnce } from "../body/encode-in-steps.ts"
import { readAtOnce } from "../body/located-body.ts"
import { UnwritableValueError } from "../errors/unwritable-value-error.ts"
import { compileXmlSelector } from "./compile-xml-selector.ts"
import { locateXml } from "./locate-xml.ts"
import { prefixesOf } from "./selector-namespaces.ts"

const locate = (document: string, ...selectors: string[]) =>
  locateXml(
    Buffer.from(document),
    selectors.map((selector) => compileXmlSelector(selector)),
  )
const textsIn = (document: string, ...selectors: string[]) => {
  const body = locate(document, ...selectors)
  return body.selected.map((value) => readAtOnce(body.text(value)).toString())
}
/** Returns the document with selected values replaced by a function of their texts. */
const rewritten = (document: string, selectors: readonly string[], change: (text: string) => string) => {
  const body = locate(document, ...selectors)
  const edits = body.selected.map((value) => ({
    start: value.start,
    end: value.end,
    text: encodeAtOnce(
      body.write(value, "string", Buffer.from(change(readAtOnce(body.text(value)).toString()))),
    ),
  }))
  return spliceBytes(Buffer.from(document), edits).toString()
}

const ONCE = "<root><item id='7'><name>Ada</name></item></root>"
const TWICE = "<root><item id='7'><name>Ada</name></item><other/><item id='8'><name>Bob</name></item></root>"
const PATIENTS = `<patients>
  <patient id="1"><name>Ada</name><country code="353">IE</country></patient>
  <patient id="2"><name>Bob</name><country>FR</country></patient>
  <patient id="3"><name>Cat</name><country><![CDATA[IE]]></country><country>GB</country></patient>
</patients>`
const SOAP = `<s:Envelope xmlns:s="urn:s" xmlns="urn:d"><s:Body><pay xmlns:p="urn:p"><p:card p:id="1">42</p:card><card>43</card></pay></s:Body></s:Envelope>`

describe("XML values", () => {
  test.each<[string, string, readonly string[]]>([
    [ONCE, "$.root.item.name", ["Ada"]],
    [ONCE, "$.root.item[*].name", ["Ada"]],
    [ONCE, "$.root.item[0].name", ["Ada"]],
    [ONCE, "$.root.item[-1:].name", ["Ada"]],
    [ONCE, "$.root.item[1].name", []],
    [ONCE, "$.root.*.name", ["Ada"]],
    [TWICE, "$.root.item.name", ["Ada", "Bob"]],
    [TWICE, "$.root.item[*].name", ["Ada", "Bob"]],
    [TWICE, "$.root.item[0].name", ["Ada"]],
    [TWICE, "$.root.item[-1].name", ["Bob"]],
    [TWICE, "$.root.item[1:].name", ["Bob"]],
    [TWICE, "$.root.item[0]['@id','name']", ["7", "Ada"]],
    [TWICE, "$.root.*.name", ["Ada", "Bob"]],
    [TWICE, "$.root.*", ["Ada", "Bob"]],
    [TWICE, "$.root.item.*", ["7", "Ada", "8", "Bob"]],
    [TWICE, "$.root.item[0].*", ["7", "Ada"]],
    [TWICE, "$.root.item[*][*]", ["7", "Ada", "8", "Bob"]],
    [TWICE, "$.*.*.*", ["7", "Ada", "8", "Bob"]],
    [TWICE, "$[*].item.name", ["Ada", "Bob"]],
    [TWICE, "$.root.item['@id']", ["7", "8"]],
    [TWICE, "$.root.item[1]['@id']", ["8"]],
    [TWICE, "$..['@id']", ["7", "8"]],
    [TWICE, "$..name", ["Ada", "Bob"]],
    [TWICE, "$..name[0]", ["Ada", "Bob"]],
    [TWICE, "$..item[0]", ["Ada"]],
    [TWICE, "$..item[0].*", ["7", "Ada"]],
    [TWICE, "$..*", ["7", "Ada", "8", "Bob"]],
    [TWICE, "$..[*]", ["7", "Ada", "8", "Bob"]],
    [TWICE, "$..*.name", ["Ada", "Bob"]],
    [TWICE, "$.root", ["Ada", "Bob"]],
    [TWICE, "$", ["Ada", "Bob"]],
    [TWICE, "$.item", []],
    [TWICE, "$.root.name", []],
    [TWICE, "$.root.Item.name", []],
    [PATIENTS, "$.patients.patient[?(@.country == 'IE')].name", ["Ada", "Cat"]],
    [PATIENTS, "$.patients.*[?(@.country == 'IE')].name", ["Ada", "Cat"]],
    [PATIENTS, "$.patients.patient[*][?@ == 'IE']", ["IE", "IE"]],
    [PATIENTS, "$..[?(@.country == 'GB')].name", ["Cat"]],
    [PATIENTS, "$.patients.patient[?(@.country[1] == 'GB')].name", ["Cat"]],
    [PATIENTS, "$.patients.patient[?(@['@id'] == '2')].name", ["Bob"]],
    [PATIENTS, "$.patients.patient[?(@.country['@code'] == '353')].name", ["Ada"]],
    [PATIENTS, "$.patients.patient[?(@.country['@code'])].name", ["Ada"]],
    [PATIENTS, "$.patients.patient[?(!@.country['@code'])].name", ["Bob", "Cat"]],
    [PATIENTS, "$.patients.patient[?(@.country[?@ == 'GB'])].name", ["Cat"]],
    [PATIENTS, "$.patients.patient[?(count(@.country) == 2)].name", ["Cat"]],
    [PATIENTS, "$.patients.patient[?(length(@.name) > 3)].name", []],
    [PATIENTS, "$.patients.patient[?match(@.name, '[AB].*')].name", ["Ada", "Bob"]],
    [PATIENTS, "$.patients.patient[?(@.country == 'IE' && @.name != 'Ada')].name", ["Cat"]],
    [PATIENTS, "$.patients.patient[?(@.country == $.patients.patient[1].country)].name", ["Bob"]],
    [PATIENTS, "$.patients.patient[?(@.name < 'B')].name", ["Ada"]],
    [PATIENTS, "$.patients.patient[?(@.none == 'IE')].name", []],
    [SOAP, "$['s:Envelope']['s:Body'].pay.card", ["42", "43"]],
    [SOAP, "$.Envelope.Body.pay['p:card']", ["42"]],
    [SOAP, "$.Envelope.Body.pay['q:card']", []],
    [SOAP, "$..card['@p:id']", ["1"]],
    [SOAP, "$..card['@id']", []],
    [SOAP, "$..*", ["1", "42", "43"]],
    ["<r><a>1<x><a>2</a></x></a><a>3</a></r>", "$.r.a[1]", ["3"]],
    ["<a><a>1<a>2</a></a><a>3</a></a>", "$.a.a[0]", ["1", "2"]],
    ["<a>1<b>2</b>3</a>", "$.a", ["1", "2", "3"]],
    ["<a>1<b>2</b>3</a>", "$.a['#text']", ["1", "3"]],
    ["<a>1<b>2</b>3</a>", "$.a.b", ["2"]],
    ["<a>1<b>2</b>3</a>", "$[?@ == '13'].b", ["2"]],
    ["<a b=''><c/><d></d><e> </e></a>", "$..*", [""]],
    ["<a>4<!-- c -->2<?p i?>1</a>", "$.a", ["4", "2", "1"]],
    ["<a>4<!-- c -->2<?p i?>1</a>", "$[?@ == '421']", ["4", "2", "1"]],
    ["<a> x <![CDATA[ <&> ]]> y\n</a>", "$.a", ["x  <&>  y"]],
    ["<a>\n<![CDATA[ <&> ]]>\n</a>", "$.a", [" <&> "]],
    ["<a><![CDATA[a]]]]><![CDATA[>b]]></a>", "$.a", ["a]]>b"]],
    ["<a><![CDATA[a]]> &amp;</a>", "$.a", ["a &"]],
    ["<a>&lt;&#65;&#x1F600;&#x0000041;&amp;lt;&quot;&apos;&gt;</a>", "$.a", ["<A😀A&lt;\"'>"]],
    ["<a>1\r\n2\r3\n<![CDATA[4\r\n]]></a>", "$.a", ["1\n2\n3\n4\n"]],
    ["<a b='1\r\n2\t3&#10;&amp; '/>", "$..['@b']", ["1 2 3\n& "]],
    ["<a>&#32;x&#10;</a>", "$.a", [" x\n"]],
    ["<\u00e9l\u00e9ment>x</\u00e9l\u00e9ment>", "$['\u00e9l\u00e9ment']", ["x"]],
    ["\ufeff<a>x</a>", "$.a", ["x"]],
    ["<a><constructor>1</constructor><__proto__>2</__proto__></a>", "$.a.__proto__", ["2"]],
  ])("in %s by %s are %j", (document, selector, texts) => {
    expect(textsIn(document, selector)).toEqual(texts)
  })

  test("report which selectors select them", () => {
    const body = locate(TWICE, "$.root.item[0].name", "$..*", "$.root.item[1].name", "$.root.item.name")
    expect(body.selected.map(({ selectors }) => selectors)).toEqual([[1], [0, 1, 3], [1], [1, 2, 3]])
  })

  test("that nothing selects are the others, in order", () => {
    const body = locate(TWICE, "$..name")
    expect([...body.unselected()].map((value) => readAtOnce(body.text(value)).toString())).toEqual(["7", "8"])
    expect([...locate(SOAP).unselected()]).toHaveLength(3)
  })

  test("have paths, which are selectors of them", () => {
    const body = locate(SOAP, "$..*")
    expect(body.selected.map((value) => body.path(value))).toEqual([
      "$['s:Envelope']['s:Body']['pay']['p:card']['@p:id']",
      "$['s:Envelope']['s:Body']['pay']['p:card']",
      "$['s:Envelope']['s:Body']['pay']['card']",
    ])
    const twice = locate(TWICE, "$..*")
    for (const value of twice.selected) {
      expect(textsIn(TWICE, twice.path(value))).toEqual([readAtOnce(twice.text(value)).toString()])
    }
  })
})

describe("an XML selector", () => {
  test.each([
    ["$[0]", "a position of no name"],
    ["$.a[0][1]", "a position of no name"],
    ["$.a[0][1:]", "a position of no name"],
    ["$.a['b', 0]", "a name and a position"],
    ["$.a['b', *]", "a name and all"],
    ["$.a[?@.b == 1]", "a number"],
    ["$.a[?@.b == true]", "a boolean"],
    ["$.a[?@.b == null]", "null"],
    ["$.a[?1 < @.b]", "a number on the left"],
    ["$.a[?length(@.b) == '1']", "a length as text"],
    ["$.a[?@.b[?@.c == 1]]", "a number in an inner filter"],
    ["$.a[?!(@.b == 1 || @.c)]", "a number within logic"],
    ["a.b", "no root"],
    ["$.a[?@.b", "an unclosed filter"],
  ])("%s is refused: it has %s", (selector) => {
    expect(() => compileXmlSelector(selector)).toThrow(expect.objectContaining({ name: "SelectorError" }))
  })

  test("is shown as it was written", () => {
    expect(compileXmlSelector("$.a.*.b").selector).toBe("$.a.*.b")
  })

  test("keeps stars in its texts", () => {
    expect(textsIn("<r><a>x.*</a><a>xy</a></r>", "$.r.a[?@ == 'x.*']")).toEqual(["x.*"])
    expect(textsIn('<r><a>x.*"</a></r>', '$.r.a[?@ == "x.*\\""]')).toEqual(['x.*"'])
    expect(textsIn("<r><a>x.*</a><a>xy</a></r>", "$.r.a[?match(@, 'x.*')]")).toEqual(["x.*", "xy"])
  })
})

describe("a rewritten XML document", () => {
  const seal = (text: string) => `ev:<${text}>&"'`

  test.each([
    ["<a>x</a>", "<a>ev:&lt;x&gt;&amp;\"'</a>"],
    ["<a>\n  x\n</a>", "<a>\n  ev:&lt;x&gt;&amp;\"'\n</a>"],
    ["<a><![CDATA[x]]></a>", "<a><![CDATA[ev:<x>&\"']]></a>"],
    ["<a> <![CDATA[x]]> y</a>", "<a> ev:&lt;x y&gt;&amp;\"'</a>"],
    ["<a>y <![CDATA[x]]> </a>", "<a>ev:&lt;y x&gt;&amp;\"' </a>"],
    ["<a><![CDATA[]]>x<![CDATA[]]></a>", "<a><![CDATA[]]>ev:&lt;x&gt;&amp;\"'<![CDATA[]]></a>"],
    ["<a>x<!-- y -->z</a>", "<a>ev:&lt;x&gt;&amp;\"'<!-- y -->ev:&lt;z&gt;&amp;\"'</a>"],
  ])("%s is %s: its text, and nothing around it", (document, expected) => {
    expect(rewritten(document, ["$.a"], seal)).toBe(expected)
  })

  test("keeps the quotes of its attributes", () => {
    expect(rewritten(`<a b = "x" c='y'/>`, ["$.a.*"], seal)).toBe(
      `<a b = "ev:&lt;x&gt;&amp;&quot;'" c='ev:&lt;y&gt;&amp;"&apos;'/>`,
    )
  })

  test.each([
    "<a>x</a>",
    "<a><![CDATA[x]]></a>",
    "<a b='x'/>",
    '<a b="x"/>',
    "<a>\n x&#32;<![CDATA[y]]>\n</a>",
  ])("reads back what is written into %s, and is well-formed for another validator too", (document) => {
    const piece = fc.constantFrom(..."ab<>&'\"]é😀 \t\n\r", "]]>", "<![CDATA[", "&amp;")
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1 }), (pieces) => {
        const text = pieces.join("")
        const output = rewritten(document, ["$.a.*"], () => text)
        expect(textsIn(output, "$.a.*")).toEqual([text])
        expect(XMLValidator.validate(output)).toBe(true)
      }),
    )
  })

  test.each(["\0", "\u001b", "\ufffe", "\uffff"])("accepts no character outside XML: %j", (character) => {
    for (const document of ["<a>x</a>", "<a><![CDATA[x]]></a>", "<a b='x'/>"]) {
      expect(() => rewritten(document, ["$.a.*"], () => character)).toThrow(UnwritableValueError)
    }
  })

  interface RenderedText {
    readonly before: string
    readonly after: string
  }
  const same = (text: string): RenderedText => ({ before: text, after: text })
  const join = (...pieces: readonly RenderedText[]): RenderedText => ({
    before: pieces.map(({ before }) => before).join(""),
    after: pieces.map(({ after }) => after).join(""),
  })
  const space = fc.constantFrom("", " ", "\n", "\r\n\t")
  const noise = fc.constantFrom(
    "<!-- <card>1</card> -->",
    "<?card <card>1?>",
    "<!---->",
    "\n",
    "<e/>",
    "<e a='>'></e >",
    "",
  )
  const words = fc.constantFrom("x", "4242 4242", "&lt;", "&#x41;", "]]", "é", "a > b", "'\"")
  const secret = fc.oneof(
    words.map((text) => ({ before: text, after: "TOKEN" })),
    fc
      .constantFrom("x", "<&", "a]]b", " ")
      .map((text) => ({ before: `<![CDATA[${text}]]>`, after: "<![CDATA[TOKEN]]>" })),
  )
  const tag = (name: string, isSecret: boolean) =>
    fc
      .tuple(space, space, space, isSecret ? secret : words.map(same), noise, words)
      .map(([inTag, left, right, content, comment, attribute]) => {
        const around = attribute.replaceAll('"', "")
        return join(
          same(`<${name}${inTag} a${inTag}=${inTag}"${around}"${inTag}>${comment}${left}`),
          content,
          same(`${right}${comment}</${name}${inTag}>`),
        )
      })
  const { tree } = fc.letrec<{ tree: RenderedText }>((tie) => ({
    tree: fc
      .array(
        fc.oneof(
          { depthSize: "small" },
          tag("card", true),
          tag("cards", false),
          tag("x.card", false),
          noise.map(same),
          words.map(same),
          tie("tree"),
        ),
        { maxLength: 6 },
      )
      .map((pieces) => join(same("<list>"), ...pieces, same("</list>"))),
  }))

  test("keeps every unselected byte, whatever it contains", () => {
    fc.assert(
      fc.property(
        noise.filter((text) => !text.startsWith("<e")),
        tree,
        space,
        (prolog, body, epilog) => {
          const { before, after } = join(same(`<?xml version='1.0'?>${prolog}`), body, same(epilog))
          expect(rewritten(before, ["$..card"], () => "TOKEN")).toBe(after)
        },
      ),
      { numRuns: 300 },
    )
  })

  test("is unchanged when selected values are rewritten with themselves", () => {
    for (const document of [ONCE, TWICE, PATIENTS, SOAP]) {
      expect(rewritten(document, ["$..*"], (text) => text)).toBe(document)
    }
  })
})

describe("names in namespaces", () => {
  const namespaces = { a: "urn:cards", o: "urn:orders" }
  const textsOf = (document: string, selector: string) => {
    const body = locateXml(Buffer.from(document), [compileXmlSelector(selector, namespaces, "by-namespace")])
    return body.selected.map((value) => readAtOnce(body.text(value)).toString())
  }

  test.each([
    ["the selector's prefix", '<o xmlns:a="urn:cards"><a:n>1</a:n></o>', ["1"]],
    ["another prefix", '<o xmlns:zz="urn:cards"><zz:n>1</zz:n></o>', ["1"]],
    [
      "several prefixes",
      '<o xmlns:x="urn:cards" xmlns:y="urn:cards"><x:n>1</x:n><n>2</n><y:n>3</y:n></o>',
      ["1", "3"],
    ],
    ["no prefix", '<o><n xmlns="urn:cards">1</n><m>2</m></o>', ["1"]],
    [
      "a default from further out",
      '<o xmlns="urn:cards"><n>1</n><n xmlns="">2</n><n>3</n></o>',
      ["1", "2", "3"],
    ],
    ["a reference in its URI", '<o xmlns:x="urn&#58;cards"><x:n>1</x:n></o>', ["1"]],
    [
      "a prefix that is declared anew",
      '<o xmlns:a="urn:x"><a:m/><a:n xmlns:a="urn:cards">1</a:n></o>',
      ["1"],
    ],
    ["the prefix, for another namespace", '<o xmlns:a="urn:x"><a:n>1</a:n></o>', []],
    ["another local name", '<o xmlns:a="urn:cards"><a:m>1</a:m></o>', []],
    ["the prefix behind its end", '<o xmlns:a="urn:x"><i xmlns:a="urn:cards"/><a:n>1</a:n></o>', []],
    ["a default behind its end", '<o><i xmlns="urn:cards"/><n>1</n></o>', []],
  ])("are found by their namespace: %s", (_, document, expected) => {
    expect(textsOf(document, "$.o['a:n']")).toEqual(expected)
  })

  test("are found below others, in filters, of attributes, and at any depth", () => {
    const document = `<p:order xmlns:p="urn:orders" xmlns:q="urn:cards" id="0">
      <q:card q:id="7" id="8"><q:type>x</q:type><q:n>1</q:n></q:card><card><n>2</n></card>
      <q:card><q:type>y</q:type><q:n>3</q:n></q:card></p:order>`
    expect(textsOf(document, "$['o:order']['a:card']['a:n']")).toEqual(["1", "3"])
    expect(textsOf(document, "$['o:order']['a:card'][?(@['a:type'] == 'x')]['a:n']")).toEqual(["1"])
    expect(textsOf(document, "$['o:order']['a:card'][?(@['@a:id'] == '7')]['a:n']")).toEqual(["1"])
    expect(textsOf(document, "$['o:order']['a:card'][*]['a:n']")).toEqual(["1", "3"])
    expect(textsOf(document, "$['o:order']['a:card']['@a:id']")).toEqual(["7"])
    expect(textsOf(document, "$['o:order']['a:card']['@id']")).toEqual(["8"])
    expect(textsOf(document, "$..['a:n']")).toEqual(["1", "3"])
    expect(textsOf(document, "$..card.n")).toEqual(["1", "2", "3"])
  })

  test("include siblings spelled alike when one of them is in the namespace", () => {
    const document = '<o><n>1</n><n xmlns="urn:cards">2</n></o>'
    expect(textsOf(document, "$.o['a:n']")).toEqual(["1", "2"])
  })

  test("are also found as written, for parsers that use prefixes", () => {
    const found = (document: string, selector: string) => {
      const body = locateXml(Buffer.from(document), [compileXmlSelector(selector, namespaces)])
      return body.selected.map((value) => readAtOnce(body.text(value)).toString())
    }
    const document =
      '<o xmlns:a="urn:x" xmlns:b="urn:cards"><a:n a:id="1">2</a:n><b:n b:id="3">4</b:n><n>5</n></o>'
    expect(found(document, "$.o['a:n']")).toEqual(["2", "4"])
    expect(found(document, "$.o['a:n']['@a:id']")).toEqual(["1", "3"])
    expect(found(document, "$.o[?(@['a:n'] == '2')].n")).toEqual(["2", "4", "5"])
  })

  test("are refused when a prefix has no namespace, or a position counts such elements", () => {
    for (const selector of [
      "$['b:n']",
      "$.o['@b:id']",
      "$.o[?@['b:n'] == '1']",
      "$['a:n'][0]",
      "$.o['a:n'][1:].b",
    ]) {
      expect(() => compileXmlSelector(selector, namespaces)).toThrow(
        expect.objectContaining({ code: "invalid-request" }),
      )
    }
    for (const selector of ["$['a:n'][*]", "$.o[0]['a:n']", "$.o['@xml:lang']"]) {
      expect(() => compileXmlSelector(selector, namespaces)).not.toThrow()
    }
  })

  test("are recognised by the prefixes of a selector", () => {
    expect(prefixesOf("$['a:n']['@b:id']['@xml:lang'][?@['c:x'] == '1' && count(@['d:y']) == 1].e")).toEqual([
      "a",
      "b",
      "c",
      "d",
    ])
    expect(prefixesOf("$.a.b['@c']['#text']")).toEqual([])
  })
})
