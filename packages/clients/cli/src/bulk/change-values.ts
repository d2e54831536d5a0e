import { ApiError } from "@sealway/sdk/errors"
import type { ByteString } from "./byte-string.ts"
import { type RowFailure, rowFailure } from "./table-row.ts"
import {
  isLikeToken,
  literalAt,
  literalsOf,
  NO_VALUES,
  sliceValues,
  type ValuesDocument,
  valuesOf,
} from "./values-document.ts"

/** The results for values. */
export interface ChangedValues {
  /** As many as were sent; a failed one is undefined content. */
  readonly values: ValuesDocument
  /** Why values failed, by index. */
  readonly failures: ReadonlyMap<number, RowFailure>
}

/** Sends values, and resolves to as many results. @throws ApiError */
export type SendValues = (values: ValuesDocument) => Promise<ValuesDocument>

const NO_FAILURES: ReadonlyMap<number, RowFailure> = new Map()

/**
 * Sends values together. If they are refused because of one of them, that one fails, and the others are sent again in
 * smaller parts: a refusal names the first value that it is about; if it names none, halving finds it.
 *
 * @throws ApiError when it is not about values: credentials, an unknown role, a busy service
 */
export async function changeValues(values: ValuesDocument, send: SendValues): Promise<ChangedValues> {
  const count = values.starts.length
  if (count === 0) return { values: NO_VALUES, failures: NO_FAILURES }
  let problem: ApiError
  try {
    return { values: await send(values), failures: NO_FAILURES }
  } catch (error) {
    if (!(error instanceof ApiError) || !isAboutValues(error)) throw error
    problem = error
  }
  const failed = failedValue({ code: problem.code, reason: reasonOf(problem), name: null })
  if (count === 1) return failed
  const change = (from: number, to: number) => changeValues(sliceValues(values, from, to), send)
  const named = indexOf(problem, count)
  const before = await change(0, named ?? 0)
  // A budget may have room for one value but not for all of its role, so only a value refused alone has failed.
  const one = named === null ? null : isRefusal(problem) ? await change(named, named + 1) : failed
  const rest = named === null ? 0 : named + 1
  // In halves, because more may be refused: one at a time would take as many requests of nearly the same size.
  const middle = rest + Math.ceil((count - rest) / 2)
  const first = await change(rest, middle)
  const second = await change(middle, count)
  return join([before, ...(one === null ? [] : [one]), first, second])
}

function failedValue(failure: RowFailure): ChangedValues {
  return { values: valuesOf(["null"]), failures: new Map([[0, failure]]) }
}

function join(parts: readonly ChangedValues[]): ChangedValues {
  const literals: ByteString[] = []
  const failures = new Map<number, RowFailure>()
  for (const part of parts) {
    for (const [index, failure] of part.failures) failures.set(literals.length + index, failure)
    for (const literal of literalsOf(part.values)) literals.push(literal)
  }
  return { values: valuesOf(literals), failures }
}

/** Sends each value separately, one after another. @throws ApiError as `changeValues` */
export async function changeEachValue(
  values: ValuesDocument,
  send: (literal: ByteString) => Promise<ByteString>,
): Promise<ChangedValues> {
  const parts: ChangedValues[] = []
  for (const literal of literalsOf(values)) {
    parts.push(await changeValues(valuesOf([literal]), async () => valuesOf([await send(literal)])))
  }
  return join(parts)
}

/** A value that came back unchanged and starts like a token was not opened: part of it is missing. */
export function refuseBrokenTokens(sent: ValuesDocument, { values, failures }: ChangedValues): ChangedValues {
  const broken = new Map(failures)
  for (let index = 0; index < values.starts.length; index++) {
    if (!isLikeToken(values, index) || failures.has(index)) continue
    if (literalAt(values, index) === literalAt(sent, index)) broken.set(index, rowFailure("broken-token"))
  }
  return { values, failures: broken }
}

/** Another service, or a proxy in front, refuses without these codes: then trying each value would be futile. */
function isAboutValues(error: ApiError): boolean {
  const { status, code, fields } = error
  if (status === 413 || isRefusal(error)) return true
  const isAboutOptions = fields.some(({ pointer }) => /^\/(?:headers|query)\//.test(pointer))
  return status === 400 && code === "invalid-request" && !isAboutOptions
}

/** Policies refuse a value: at all, without a reason, or all of it but a mask. */
function isRefusal({ code }: ApiError): boolean {
  return code.startsWith("decrypt/")
}

function indexOf({ fields }: ApiError, count: number): number | null {
  for (const { pointer } of fields) {
    const [, digits] = /^\/(0|[1-9][0-9]{0,8})$/.exec(pointer) ?? []
    if (digits !== undefined && Number(digits) < count) return Number(digits)
  }
  return null
}

/** Returns the value's own reason if it is named, because the detail may be about the whole request. */
function reasonOf({ fields, message }: ApiError): string {
  return fields[0]?.reason ?? message
}
