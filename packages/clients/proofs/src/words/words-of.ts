import { REQUEST_PARTS, type RequestKind, type RequestPart } from "@sealway/policies/analysis"
import type { Cube, Dimension } from "../encoding/dimensions.ts"
import type { Texts } from "../encoding/texts.ts"
import { NONE, spellCells } from "./spell-cells.ts"

/** Words for values, where they are not shown as they are. */
const VALUE_WORDS: Partial<Record<Dimension["name"], ReadonlyMap<string, string>>> = {
  source: new Map([
    ["api", "the API"],
    ["client-token", "client-side tokens"],
    ["relay", "relays"],
    ["function", "functions"],
    ["enclave", "enclaves"],
  ]),
  reason: new Map([["given", "with a reason"]]),
  masked: new Map([["full", "in full"]]),
  ip: new Map([[NONE, "unknown addresses"]]),
}

export function kindOf(cube: Cube, texts: Texts): RequestKind {
  const parts = [...cube]
    .toSorted(([left], [right]) => REQUEST_PARTS.indexOf(left.name) - REQUEST_PARTS.indexOf(right.name))
    .map(([dimension, cells]): RequestPart => {
      const { name, zone } = dimension
      const part = {
        name,
        ...spellCells(dimension, cells, texts),
        ...(zone !== undefined && { timezone: zone }),
      }
      return { ...part, words: wordsOf(part) }
    })
  const isForAll = parts.every(({ name }) => name === "masked")
  const words = [...(isForAll ? ["all requests"] : []), ...parts.map((part) => part.words)]
  return { words: words.join(", "), parts }
}

function wordsOf({ name, values, isExcluded, timezone }: Omit<RequestPart, "words">): string {
  const list = joined(values.map((value) => VALUE_WORDS[name]?.get(value) ?? value))
  const zone = timezone === undefined ? "" : ` (${timezone})`
  const phrases = PHRASES[name]
  const isNone = values.length === 1 && values[0] === NONE
  if (isExcluded) return isNone ? phrases.some : `${phrases.except}${list}${zone}`
  return isNone ? phrases.none : `${phrases.only}${list}${zone}`
}

interface Phrases {
  readonly only: string
  readonly except: string
  /** For no value at all, and for any. */
  readonly none: string
  readonly some: string
}

const optional = (only: string, thing: string): Phrases => ({
  only,
  except: `with any ${thing} except `,
  none: `without ${thing}`,
  some: `with any ${thing}`,
})

const always = (only: string, except: string): Phrases => ({ only, except, none: "", some: "" })

const PHRASES: Record<Dimension["name"], Phrases> = {
  masked: always("", ""),
  reason: { only: "", except: "", none: "without a reason", some: "with a reason" },
  source: always("through ", "through anything except "),
  ip: {
    only: "from ",
    except: "from anywhere except ",
    none: "from unknown addresses",
    some: "from any known address",
  },
  apiKey: optional("with API key ", "API key"),
  function: optional("by function ", "function"),
  relayDestination: optional("to ", "relay destination"),
  weekday: always("on ", "on any day except "),
  minute: always("", "at any time of day except "),
  time: always("", "at any time except "),
  enclave: { only: "by an enclave, ", except: "by none, ", none: "without enclave", some: "by an enclave" },
  pcr0: optional("with PCR0 ", "PCR0"),
  pcr1: optional("with PCR1 ", "PCR1"),
  pcr2: optional("with PCR2 ", "PCR2"),
  pcr8: optional("with PCR8 ", "PCR8"),
  app: always("for app ", "for any app except "),
}

/** `a, b and c` */
function joined(values: readonly string[]): string {
  if (values.length < 2) return values.join("")
  return `${values.slice(0, -1).join(", ")} and ${values.at(-1)}`
}
