import type { RelayTrial, TestRelayRequest } from "@sealway/sdk/api"
import type { Draft, DraftSelection, Method } from "./draft.ts"
import { formFields, headerFields, jsonFields, type SampleField } from "./sample-fields.ts"

/** A message as it is typed. */
export interface SampleMessage {
  readonly contentType: string
  /** A line for each: `Name: value`. */
  readonly headers: string
  readonly body: string
}

/** A request and the response to it, as they are typed. They are nowhere but in the page's memory. */
export interface Sample {
  readonly method: Method
  readonly path: string
  readonly request: SampleMessage
  readonly status: string
  readonly response: SampleMessage
}

export const CONTENT_TYPES = [
  "application/json",
  "application/x-www-form-urlencoded",
  "application/xml",
  "text/plain",
] as const

export const EXAMPLE_BODY = `{
  "name": "Ada Example",
  "card": { "number": "4242424242424242", "expiry": "12/29" },
  "items": [
    { "sku": "A-1", "note": "leave at the door" },
    { "sku": "B-7", "note": "ring twice" }
  ]
}`

const EMPTY: SampleMessage = { contentType: "application/json", headers: "", body: "" }

/** Returns a sample without bodies, for the first route of a draft. */
export function firstSample(draft: Draft): Sample {
  const [route] = draft
  const path = (route?.path ?? "/").replace("/**", "").replaceAll("*", "1")
  return {
    method: route?.method ?? "POST",
    path: path === "" ? "/" : path,
    request: EMPTY,
    status: "200",
    response: EMPTY,
  }
}

type TrialSample = Pick<TestRelayRequest["body"], "request" | "response">

/** Converts a sample to what the API takes. Without a body the response is left out. */
export function trialOf({ method, path, request, status, response }: Sample): TrialSample {
  return {
    request: { method, path, headers: headersOf(request), body: request.body === "" ? null : request.body },
    response:
      response.body === ""
        ? null
        : { status: Number(status), headers: headersOf(response), body: response.body },
  }
}

/** Returns the headers that are typed, with the content type if there is a body. Lines without a colon are left out. */
export function headersOf({ headers, contentType, body }: SampleMessage): Record<string, string> {
  const pairs = headers.split("\n").flatMap((line): [string, string][] => {
    const colon = line.indexOf(":")
    return colon <= 0 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]]
  })
  return { ...(body !== "" && { "Content-Type": contentType }), ...Object.fromEntries(pairs) }
}

/** Fields of one part of a message. */
export interface FieldGroup {
  readonly title: "Query" | "Headers" | "Body"
  readonly fields: readonly SampleField[]
  /** Why no fields are shown. */
  readonly note?: string
}

/**
 * Returns what can be selected in a message.
 *
 * @param path of a request; null for a response
 * @param readXml reads XML; a browser's own parser does
 */
export function fieldGroups(
  message: SampleMessage,
  path: string | null,
  readXml: (text: string) => readonly SampleField[] | null,
): readonly FieldGroup[] {
  const { headers, ...typed } = message
  const query = path?.includes("?") ? formFields(path.slice(path.indexOf("?") + 1), "query") : []
  const groups: readonly FieldGroup[] = [
    { title: "Query", fields: query },
    { title: "Headers", fields: headerFields(headersOf({ ...typed, headers, body: "" })) },
  ]
  return [
    ...groups.filter(({ fields }) => fields.length > 0),
    ...(message.body === "" ? [] : [bodyGroup(message, readXml)]),
  ]
}

function bodyGroup(
  { contentType, body }: SampleMessage,
  readXml: (text: string) => readonly SampleField[] | null,
): FieldGroup {
  const title = "Body"
  if (contentType.includes("urlencoded")) return { title, fields: formFields(body, "form") }
  const isXml = contentType.includes("xml")
  if (!isXml && !contentType.includes("json")) {
    return { title, fields: [], note: "Fields of this content type cannot be clicked. Write the selector." }
  }
  const fields = isXml ? readXml(body) : jsonFields(body)
  return fields === null
    ? { title, fields: [], note: `This is not valid ${isXml ? "XML" : "JSON"} yet.` }
    : { title, fields }
}

type MessageTrial = NonNullable<RelayTrial["request"]>

/** What a trial has found about fields: selections by place, and card numbers that none covers. */
export interface Marks {
  selectionsAt(group: FieldGroup["title"], path: string): readonly DraftSelection[]
  isLeak(group: FieldGroup["title"], path: string): boolean
}

/** @param applied the selections of the matching routes, in the order of the trial's */
export function marksOf(trial: MessageTrial | null, applied: readonly DraftSelection[]): Marks {
  const found = trial?.selections ?? []
  // A trial of an earlier draft, until the next one arrives.
  const isOfDraft = found.length === applied.length
  const pairs = isOfDraft ? applied.map((selection, index) => ({ selection, result: found[index] })) : []
  const leaks = new Set(trial?.leaks)
  return {
    selectionsAt: (group, path) =>
      pairs.flatMap(({ selection, result }) => {
        if (result === undefined || result.matched === 0) return []
        if (group === "Body") return result.paths.includes(path) ? [selection] : []
        const isNamed = namesOf(group, selection) === path
        return isNamed ? [selection] : []
      }),
    isLeak: (group, path) => group === "Body" && leaks.has(path),
  }
}

function namesOf(group: "Query" | "Headers", { type, selector }: DraftSelection): string | null {
  if (group === "Query") return type === "query" ? selector : null
  return type === "header" ? selector.toLowerCase() : null
}
