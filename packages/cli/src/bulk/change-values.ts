import { type Problem, ServiceRefusal } from "../failures.ts"
import type { ByteString } from "./byte-string.ts"
import { type RowFailure, rowFailure } from "./table-row.ts"

/** A value that came back, as a JSON literal; or why it did not. */
export type ChangedValue = ByteString | RowFailure

/** Sends values, and resolves to as many in their place. @throws ServiceRefusal */
export type SendValues = (literals: readonly ByteString[]) => Promise<readonly ByteString[]>

/**
 * Sends values together. When they are refused because of one of them, that one fails, and the others are sent again in
 * smaller parts: a refusal names the first value that it is about, and where it names none, halves find out.
 *
 * @throws ServiceRefusal when it is not about values: credentials, a role that does not exist, a service that is busy
 */
export async function changeValues(
  literals: readonly ByteString[],
  send: SendValues,
): Promise<readonly ChangedValue[]> {
  if (literals.length === 0) return []
  let problem: Problem
  try {
    return await send(literals)
  } catch (error) {
    if (!(error instanceof ServiceRefusal) || !isAboutValues(error.problem)) throw error
    problem = error.problem
  }
  const failure: RowFailure = { code: problem.code, reason: reasonOf(problem), name: null }
  if (literals.length === 1) return [failure]
  const named = indexOf(problem, literals.length)
  const before = await changeValues(literals.slice(0, named ?? 0), send)
  const refused = named === null ? [] : literals.slice(named, named + 1)
  // A budget may have room for one value where it has none for all of its role: only what is refused alone has failed.
  const one =
    problem.code === "decrypt/forbidden" ? await changeValues(refused, send) : refused.map(() => failure)
  const rest = literals.slice(named === null ? 0 : named + 1)
  // Halves, because more may be refused: one at a time, that would take as many requests of nearly the same size.
  const middle = Math.ceil(rest.length / 2)
  const first = await changeValues(rest.slice(0, middle), send)
  const second = await changeValues(rest.slice(middle), send)
  return [...before, ...one, ...first, ...second]
}

/** Asks for each value by itself, one after the other. @throws ServiceRefusal as `changeValues` */
export async function changeEachValue(
  literals: readonly ByteString[],
  send: (literal: ByteString) => Promise<ByteString>,
): Promise<readonly ChangedValue[]> {
  const changed: ChangedValue[] = []
  for (const literal of literals) {
    changed.push(
      ...(await changeValues([literal], async ([only = ""]) => {
        return [await send(only)]
      })),
    )
  }
  return changed
}

/** What came back as it was sent and begins like a token has not been opened: it lost a part on its way. */
export function refuseBrokenTokens(
  literals: readonly ByteString[],
  changed: readonly ChangedValue[],
): readonly ChangedValue[] {
  return changed.map((value, index) =>
    typeof value === "string" && value.startsWith('"ev:') && value === literals[index]
      ? rowFailure("broken-token")
      : value,
  )
}

/** Another service, or a proxy before it, refuses without these codes: then all values would be tried in vain. */
function isAboutValues({ status, code, fields = [] }: Problem): boolean {
  if (status === 413 || code === "decrypt/forbidden") return true
  const isAboutHeaders = fields.some(({ pointer }) => pointer.startsWith("/headers/"))
  return status === 400 && code === "invalid-request" && !isAboutHeaders
}

function indexOf({ fields = [] }: Problem, count: number): number | null {
  for (const { pointer } of fields) {
    const [, digits] = /^\/(0|[1-9][0-9]{0,8})$/.exec(pointer) ?? []
    if (digits !== undefined && Number(digits) < count) return Number(digits)
  }
  return null
}

/** The value's own reason, where it is named: the detail may be about all that was sent. */
function reasonOf({ fields, detail }: Problem): string {
  return fields?.[0]?.reason ?? detail
}
