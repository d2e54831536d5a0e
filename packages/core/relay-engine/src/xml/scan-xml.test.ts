import fc from "fast-check"
import { XMLValidator } from "fast-xml-parser"
import { describe, expect, test } from "vitest"
import { UnreadableBodyError } from "../body/located-body.ts"
import { compileXmlSelector } from "./compile-xml-selector.ts"
import { locateXml, type XmlOptions } from "./locate-xml.ts"

const EVERYTHING = [compileXmlSelector("$..*")]
const refusalOf = (document: string | Buffer, options: Partial<XmlOptions> = {}): string | null => {
  try {
    locateXml(Buffer.from(document), EVERYTHING, options)
    return null
  } catch (error) {
    if (error instanceof UnreadableBodyError) return error.reason
    throw error
  }
}

const WELL_FORMED = [
  "<a/>",
  "<a />",
  "<a></a >",
  "<a b='1' c=\"2\"/>",
  "<a b = '1'\n\tc='2'></a>",
  "\ufeff<a/>",
  "\n <a/> \n",
  "<!-- x --><a/><!-- - -><& -->",
  "<?p?><a/><?p x ? > y?>",
  '<?xml version="1.0"?><a/>',
  "<?xml version='1.0' encoding='utf-8' standalone=\"yes\" ?>\n<a/>",
  "<?xml\tversion = '1.1'\r\nencoding = 'US-ASCII'?><a/>",
  "<?xml-stylesheet href='x'?><a/>",
  "<a>]] > ]]&gt; ></a>",
  "<a b='>'/>",
  "<a b='&lt;&#9;&#x10FFFF;'/>",
  "<a><![CDATA[<b>]]&amp;&none;]]></a>",
  "<a><![CDATA[]]></a>",
  "<a:b xmlns:a='u'/>",
  "<a:b xmlns:a='u'><a:c a:d='1' d='1'/></a:b>",
  "<a xmlns='u'><b xmlns=''/></a>",
  "<a xml:lang='en' xml:space='preserve'/>",
  "<a xmlns:xml='http://www.w3.org/XML/1998/namespace'/>",
  "<a xmlns:p='u' xmlns:q='u' p:b='1' q:c='2'/>",
  "<a xmlns:p='u' xmlns:q='v' p:b='1' q:b='2'/>",
  "<_a-b.c1/>",
  "<\u00e9\u4e2d\u{20000}/>",
  "<a\u00b7/>",
  "<a><!--\u0085\u007f--></a>",
]

const MALFORMED = [
  "",
  " ",
  "x",
  "<",
  "<a",
  "<a>",
  "<a></b>",
  "<a></A>",
  "</a>",
  "<a/></a>",
  "<a><b></a></b>",
  "<a/><b/>",
  "<a/>x",
  "x<a/>",
  "<a/>&#32;",
  "<a/><![CDATA[x]]>",
  "<a></a",
  "<a></ a>",
  "<a></a b='1'>",
  "< a/>",
  "<a/ >",
  "<a b/>",
  "<a b=1/>",
  "<a b='1'c='2'/>",
  "<a b='1/>",
  "<a b='<'/>",
  "<a b='1' b='2'/>",
  "<a b='&none;'/>",
  "<a b='&'/>",
  "<a =''/>",
  "<1/>",
  "<-a/>",
  "<a&/>",
  "<a:/>",
  "<:a/>",
  "<a:b:c xmlns:a='u'/>",
  "<a:1 xmlns:a='u'/>",
  "<a:b/>",
  "<a b:c='1'/>",
  "<a><b xmlns:p='u'/><p:c/></a>",
  "<a xmlns:p=''/>",
  "<a xmlns:xml='u'/>",
  "<a xmlns:xmlns='u'/>",
  "<a xmlns:p='http://www.w3.org/2000/xmlns/'/>",
  "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>",
  "<a xmlns='http://www.w3.org/XML/1998/namespace'/>",
  "<xmlns:a/>",
  "<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>",
  "<a xmlns:p='u' xmlns:p='v'/>",
  "<a xmlns:p='u' xmlns:q='&#117;' p:b='1' q:b='2'/>",
  "<a>&</a>",
  "<a>& </a>",
  "<a>&amp</a>",
  "<a>&none;</a>",
  "<a>&nbsp;</a>",
  "<a>&AMP;</a>",
  "<a>&#;</a>",
  "<a>&#x;</a>",
  "<a>&#0;</a>",
  "<a>&#11;</a>",
  "<a>&#xD800;</a>",
  "<a>&#xFFFE;</a>",
  "<a>&#x110000;</a>",
  "<a>&#99999999999999999999;</a>",
  "<a>&#X41;</a>",
  "<a>&#6 5;</a>",
  "<a>&#-65;</a>",
  "<a>]]></a>",
  "<a><![CDATA[x</a>",
  "<a><![cdata[x]]></a>",
  "<a><!-- -- --></a>",
  "<a><!-- x ---></a>",
  "<a><!--></a>",
  "<a><!-- x</a>",
  "<a><! x></a>",
  "<a><?p x></a>",
  "<a><??></a>",
  "<a><? p?></a>",
  "<a><?xml version='1.0'?></a>",
  "<a><?XML x?></a>",
  "<a><?p:q x?></a>",
  "<a><?p\u0001?></a>",
  " <?xml version='1.0'?><a/>",
  "<?xml?><a/>",
  "<?xml version='2.0'?><a/>",
  "<?xml version=1.0?><a/>",
  "<?xml encoding='utf-8'?><a/>",
  "<?xml version='1.0' standalone='maybe'?><a/>",
  "<?xml version='1.0' standalone='yes' encoding='utf-8'?><a/>",
  "<?xml version='1.0' encoding='iso-8859-1'?><a/>",
  "<?xml version='1.0' encoding='utf-16'?><a/>",
  "<?xml version='1.0' encoding='UTF-7'?><a/>",
  `<?xml version='1.0'${" ".repeat(2_000)}encoding='UTF-7'?><a/>`,
  "<?xml version='1.0'><a/>",
  "<!DOCTYPE a><a/>",
  "<!doctype a><a/>",
  "<a><!DOCTYPE a></a>",
  "<!ENTITY x 'y'><a/>",
  "<a>\u0000</a>",
  "<a>\u0008</a>",
  "<a b='\u001b'/>",
  "<a>\ufffe</a>",
  "<a>\uffff</a>",
  "<a><!--\u0000--></a>",
  "<a><![CDATA[\u0002]]></a>",
]

describe("an XML document", () => {
  test.each(WELL_FORMED)("%j is accepted", (document) => {
    expect(refusalOf(document)).toBeNull()
  })

  test.each(MALFORMED)("%j is refused", (document) => {
    expect(refusalOf(document)).toBe("malformed")
  })

  test("that is not UTF-8 is refused", () => {
    for (const hex of ["e9", "c0af", "eda080", "f4908080", "c3"]) {
      const document = Buffer.concat([Buffer.from("<a>"), Buffer.from(hex, "hex"), Buffer.from("</a>")])
      expect(refusalOf(document)).toBe("malformed")
    }
  })

  test("declares the encoding that it was sent in", () => {
    const document = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?><a>é</a>`
    expect(refusalOf(document("ISO-8859-1"), { charset: "iso-8859-1" })).toBeNull()
    expect(refusalOf(document("UTF-16"), { charset: "utf-16be" })).toBeNull()
    expect(refusalOf(document("utf-8"), { charset: "iso-8859-1" })).toBe("malformed")
    expect(refusalOf(document("utf-16le"), { charset: "utf-16be" })).toBe("malformed")
  })

  test("is refused when truncated anywhere, and never accepted when another validator refuses it", () => {
    const document = `<?xml version="1.0"?><!--c--><a b='1' xmlns:p="u"><p:c>x &amp; <![CDATA[y]]></p:c><?p i?><d/></a>`
    for (let length = 0; length < document.length; length++) {
      expect(refusalOf(document.slice(0, length))).toBe("malformed")
    }
    const mutated = fc.tuple(
      fc.nat(document.length - 1),
      fc.nat(3),
      fc.string({ unit: fc.constantFrom(..."<>/!?&;='\"-[]xa :#", "p:c", "]]>"), maxLength: 3 }),
    )
    fc.assert(
      fc.property(mutated, ([at, removed, added]) => {
        const changed = document.slice(0, at) + added + document.slice(at + removed)
        fc.pre(refusalOf(changed) === null)
        expect(XMLValidator.validate(changed)).toBe(true)
      }),
      { numRuns: 500, maxSkipsPerRun: 1_000 },
    )
  })

  test("of any bytes is either accepted or refused", () => {
    const markup = fc.constantFrom(
      "<a>",
      "</a>",
      "<a",
      ">",
      "/>",
      "&",
      "<![CDATA[",
      "]]>",
      "<!--",
      "-->",
      "<?",
      "?>",
      "x",
      "\xff",
      "=",
      "'",
    )
    fc.assert(
      fc.property(fc.array(markup), (pieces) => {
        expect([null, "malformed"]).toContain(refusalOf(Buffer.from(pieces.join(""), "latin1")))
      }),
      { numRuns: 500 },
    )
  })
})

describe("a hostile XML document", () => {
  test("with entities in entities is refused at its DOCTYPE", () => {
    const lol = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`)
    expect(refusalOf(`<!DOCTYPE l [<!ENTITY l0 "lol">${lol.join("")}]><l>&l9;</l>`)).toBe("malformed")
    expect(refusalOf('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>')).toBe("malformed")
    expect(refusalOf('<!DOCTYPE a SYSTEM "http://169.254.169.254/">\n<a/>')).toBe("malformed")
  })

  test("may be nested at most 256 deep", () => {
    const nested = (depth: number) => `${"<a>".repeat(depth)}x${"</a>".repeat(depth)}`
    expect(refusalOf(nested(256))).toBeNull()
    expect(refusalOf(nested(257))).toBe("too-large")
    expect(refusalOf("<a>".repeat(1_000_000))).toBe("too-large")
    expect(refusalOf("<a>".repeat(257), { maxDepth: 300 })).toBe("malformed")
  })

  test("may have at most the maximum number of nodes", () => {
    const limits = { maxNodes: 10 }
    expect(refusalOf(`<r>${"<a/>".repeat(9)}</r>`, limits)).toBeNull()
    expect(refusalOf(`<r>${"<a/>".repeat(10)}</r>`, limits)).toBe("too-large")
    expect(refusalOf(`<r>${"x<a/>".repeat(9)}x</r>`, limits)).toBeNull()
    expect(refusalOf(`<r ${"abcdefghijk".replace(/./g, "$&='' ")}/>`, limits)).toBe("too-large")
  })

  test("may have at most the maximum number of selected values", () => {
    expect(refusalOf(`<r>${"<a>1</a>".repeat(10)}</r>`, { maxSelected: 10 })).toBeNull()
    expect(refusalOf(`<r>${"<a>1</a>".repeat(11)}</r>`, { maxSelected: 10 })).toBe("too-large")
  })

  test.each([
    ["elements of one name", `<r>${"<a/>".repeat(200_000)}</r>`],
    [
      "elements of different names",
      `<r>${Array.from({ length: 100_000 }, (_, i) => `<a${i}/>`).join("")}</r>`,
    ],
    ["attributes", `<r ${Array.from({ length: 100_000 }, (_, i) => `a${i}=''`).join(" ")}/>`],
    [
      "namespaces",
      `<r ${Array.from({ length: 50_000 }, (_, i) => `xmlns:a${i}='u' a${i}:b${i}=''`).join(" ")}/>`,
    ],
    ["runs of text", `<r>${"a<!---->".repeat(200_000)}</r>`],
    ["CDATA sections", `<r>${"<![CDATA[a]]>".repeat(200_000)}</r>`],
    ["nested elements of one name", `<r>${("<a>".repeat(250) + "</a>".repeat(250)).repeat(500)}</r>`],
    ["digits of a reference", `<r>&#${"0".repeat(1_000_000)}65;</r>`],
  ])("with a great many %s is read in proportional time", (_what, document) => {
    expect(refusalOf(document)).toBeNull()
  })

  test.each(["<!--", "<![CDATA[", "<?a ", "<a ", "&#x", "<a><![CDATA[", "<a b='"])(
    "with a great many of %s is refused in proportional time",
    (piece) => {
      expect(refusalOf(`<r>${piece.repeat(300_000)}`)).not.toBeNull()
    },
  )
})
