import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { ROOT } from "../support/start.ts"

/** A block of JavaScript or TypeScript in a page. */
export interface Snippet {
  /** The page, and the line on which the block begins. */
  readonly place: string
  readonly language: "js" | "ts" | "tsx"
  readonly text: string
}

/** Returns the blocks of pages, in their order. @param pages paths in the repository */
export async function readSnippets(pages: readonly string[]): Promise<readonly Snippet[]> {
  const texts = await Promise.all(pages.map((page) => readFile(join(ROOT, page), "utf8")))
  return pages.flatMap((page, index) => snippetsOf(page, texts[index] ?? ""))
}

function snippetsOf(page: string, text: string): readonly Snippet[] {
  return [...text.matchAll(/^```(js|ts|tsx)\n(.*?)^```$/gms)].map(
    ({ 1: language, 2: block = "", index }) => ({
      place: `${page}:${text.slice(0, index).split("\n").length}`,
      language: language === "ts" || language === "tsx" ? language : "js",
      text: block,
    }),
  )
}

const SERVER = 'import type { Sealway } from "@sealway/sdk"\ndeclare const sealway: Sealway\n'
const TEAM_AND_APP = "declare const teamId: string, appId: string\n"
const EXPRESS = `declare const request: { query: { key: string } }
declare const response: { redirect(status: number, url: string): void; json(value: unknown): void }
declare const sealway: Sealway & SealwayPage
import type { Sealway } from "@sealway/sdk"
import type { SealwayPage } from "@sealway/sdk/fields"
`

/** What blocks need that show a part of a program: the first text that a block contains decides. */
const PRELUDES: readonly (readonly [text: string, prelude: string])[] = [
  ["payButton", `${TEAM_AND_APP}declare const payButton: HTMLButtonElement, form: HTMLFormElement\n`],
  ["clientTokens.revealUrl", `declare const sealedNumber: string\n${TEAM_AND_APP}${EXPRESS}`],
  ["clientTokens.createForFrame", EXPRESS],
  ["/decrypt`, {", "declare const sealwayUrl: string, token: string, payload: object\n"],
  [
    "getDataSubjectKey",
    `import type { SealwayBrowser } from "@sealway/sdk/browser"
declare const sealwayBrowser: SealwayBrowser
declare const session: { userId: string }
declare const input: HTMLInputElement
${SERVER}`,
  ],
  ['dataSubject: "4711"', SERVER],
  ["sealway.relay.fetch", `declare const sealedCard: string\n${SERVER}`],
  ["createForwardProxyAgent({", "declare const appId: string, apiKey: string, ca: string\n"],
  ["sealway.formats.encrypt(", SERVER],
  ["sealway.functions.run(", `declare const sealedCard: string, payload: object\n${SERVER}`],
]

/** Blocks that are not compiled here, by a text that they contain, and why. */
const OTHERS: readonly (readonly [text: string, reason: string])[] = [
  ["new Evervault(", "another SDK: test/interop runs it"],
  ["new ProxyAgent(", "undici's own types"],
  ['from "standardwebhooks"', "that library's own types"],
  ["clientSecretArn", "a part of an object in stacks/config.ts"],
]

/** Returns a block as a module of TypeScript, or of JavaScript with types in comments; null for one that is listed. */
export function moduleOf({
  language,
  text,
}: Snippet): { readonly name: string; readonly text: string } | null {
  if (OTHERS.some(([sign]) => text.includes(sign))) return null
  const [, prelude] = PRELUDES.find(([sign]) => text.includes(sign)) ?? []
  if (prelude === undefined && language === "js") return { name: "snippet.mjs", text }
  return {
    name: language === "tsx" ? "snippet.tsx" : "snippet.mts",
    text: `${prelude ?? ""}${text}\nexport {}\n`,
  }
}
