import type { BrowserFacts, Progress } from "../record/session.ts"

/** The colour depths of 2.2.0. */
const COLOR_DEPTHS = ["48", "32", "24", "16", "15", "8", "4", "1"] as const
const MAX_HEADER_CHARACTERS = 2_048
const MAX_LANGUAGES = 99

/** Returns what an AReq says about the cardholder's browser. */
export function browserElements(
  browser: BrowserFacts,
  fingerprint: Progress["fingerprint"],
  hasMethod: boolean,
) {
  const { javaEnabled, javaScriptEnabled, screenHeight, screenWidth, timeZone } = browser
  return {
    threeDSCompInd: compInd(fingerprint, hasMethod),
    browserAcceptHeader: headerOf(browser.acceptHeader, "*/*"),
    browserUserAgent: headerOf(browser.userAgent, "unknown"),
    browserIP: browser.ip,
    browserJavascriptEnabled: javaScriptEnabled,
    ...(javaScriptEnabled && {
      browserJavaEnabled: javaEnabled,
      browserScreenHeight: String(screenHeight),
      browserScreenWidth: String(screenWidth),
      browserTZ: String(timeZone),
    }),
  }
}

/** Messages must contain headers, with limited space for them. */
const headerOf = (value: string, absent: string): string => value.slice(0, MAX_HEADER_CHARACTERS) || absent

/** Whether the issuer has the browser's fingerprint: yes, no, or it takes none. */
function compInd(fingerprint: Progress["fingerprint"], hasMethod: boolean): "Y" | "N" | "U" {
  if (!hasMethod) return "U"
  return fingerprint === "complete" ? "Y" : "N"
}

/** Returns what 2.2.0 says about a browser in its own format. */
export function browserElementsOf2_2({ language, colorDepth, javaScriptEnabled }: BrowserFacts) {
  const depth = COLOR_DEPTHS.find((known) => Number(known) <= colorDepth) ?? "1"
  return { browserLanguage: shortened(language, 8), ...(javaScriptEnabled && { browserColorDepth: depth }) }
}

/** Returns what 2.3.1 says about a browser in its own format. */
export function browserElementsOf2_3({
  language,
  colorDepth,
  javaScriptEnabled,
  acceptLanguage,
}: BrowserFacts) {
  return {
    acceptLanguage: languagesOf(acceptLanguage),
    browserLanguage: language,
    ...(javaScriptEnabled && { browserColorDepth: String(Math.min(Math.max(colorDepth, 1), 99)) }),
  }
}

/** Removes subtags of a language tag from its end, as in RFC 4647, 3.4: `zh-Hant-TW` becomes `zh-Hant`. */
function shortened(tag: string, maxCharacters: number): string {
  const subtags = tag.split("-")
  const isUnfit = () => subtags.join("-").length > maxCharacters || subtags.at(-1)?.length === 1
  while (subtags.length > 1 && isUnfit()) subtags.pop()
  return subtags.join("-")
}

/** Returns the tags of an `Accept-Language` header, in order. */
function languagesOf(header: string): string[] {
  const tags = header
    .split(",")
    .map((part) => part.split(";")[0]?.trim() ?? "")
    .filter((tag) => /^[A-Za-z0-9*-]{1,35}$/.test(tag))
    .slice(0, MAX_LANGUAGES)
  return tags.length > 0 ? tags : ["*"]
}

/** Returns the size of the challenge frame as the code in challenge requests. */
export function challengeWindowSize(frame: Progress["frame"]): "01" | "02" | "03" | "04" | "05" {
  if (frame === null) return "05"
  const { width, height } = frame
  const fits = (least: number, high: number) => width >= least && height >= high
  if (fits(600, 400) && width > height) return "04"
  if (fits(500, 600)) return "03"
  if (fits(600, 400)) return "04"
  return fits(390, 400) ? "02" : "01"
}
