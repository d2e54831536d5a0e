import type { Outcome, Request } from "./caller.ts"
import type { LedgerSubject } from "./ledger.ts"
import type { Workload, WorkloadContext } from "./workload.ts"

/** Longer than a process may open values of a data subject after its erasure, or keep them back after the undo. */
const SETTLED_MS = 15_000
const MAX_SUBJECTS = 60

/** Encrypts for data subjects, erases them, undoes that where the app has a window for it, and tries what opens. */
export function createSubjectWork({ ledger, random, ask, nextName }: WorkloadContext): Workload {
  const { auth } = ledger.app
  const pick = (isWanted: (subject: LedgerSubject) => boolean) => {
    const [first, ...rest] = ledger.subjects.filter(isWanted)
    return first === undefined ? null : random.pick([first, ...rest])
  }
  const of = ({ person }: LedgerSubject) => ({ "x-service-data-subject": person })

  async function seal(): Promise<void> {
    const isNew = ledger.subjects.length < MAX_SUBJECTS && random.next() < 0.5
    const known = isNew ? null : pick(({ state }) => state === "open")
    const subject = known ?? newSubject(nextName())
    const values = [`of ${subject.person}: ${random.next()}`]
    const outcome = await ask({
      method: "POST",
      path: "/encrypt",
      auth,
      body: { values },
      headers: of(subject),
    })
    if (outcome.kind !== "acknowledged" || !Array.isArray(outcome.json.values)) return
    subject.sealed.push({ tokens: outcome.json.values, values })
    if (known === null) ledger.subjects.push(subject)
  }

  async function erase(): Promise<void> {
    const subject = pick(({ state, sealed }) => state === "open" && sealed.length > 0)
    if (subject === null) return
    subject.id ??= await findId(subject)
    if (subject.id === null) return
    await change(subject, "erased", { method: "DELETE", path: `/data-subjects/${subject.id}`, auth })
  }

  async function restore(): Promise<void> {
    const subject = ledger.hasUndo ? pick(({ state }) => state === "erased") : null
    if (subject === null) return
    await change(subject, "open", { method: "POST", path: `/data-subjects/${subject.id}/restore`, auth })
  }

  async function findId(subject: LedgerSubject): Promise<string | null> {
    const outcome = await ask({ method: "GET", path: "/data-subjects", auth, headers: of(subject) })
    const [found] =
      outcome.kind === "acknowledged" && Array.isArray(outcome.json.data) ? outcome.json.data : []
    return found === undefined ? null : String(Object(found).id)
  }

  async function change(subject: LedgerSubject, state: "open" | "erased", request: Request): Promise<void> {
    const before = subject.state
    subject.state = "unknown"
    const outcome = await ask(request)
    if (outcome.kind === "unknown") return
    Object.assign(subject, {
      state: outcome.kind === "acknowledged" ? state : before,
      changedAt: performance.now(),
    })
  }

  async function tryOpening(): Promise<void> {
    const isSettled = (subject: LedgerSubject) => performance.now() - subject.changedAt > SETTLED_MS
    const subject = pick((each) => each.state !== "unknown" && isSettled(each))
    if (subject === null) return
    const { state } = subject
    const sealed = subject.sealed.at(-1)
    if (sealed === undefined) return
    const outcome = await ask({ method: "POST", path: "/decrypt", auth, body: { values: sealed.tokens } })
    const found = openedAs(outcome, sealed.values)
    if (found !== null && found !== state) {
      ledger.repeatedOtherwise.push(`a value of the data subject ${subject.id} is ${found}, not ${state}`)
    }
  }

  return async () => {
    const at = random.next()
    if (at < 0.45) await seal()
    else if (at < 0.65) await erase()
    else if (at < 0.75) await restore()
    else await tryOpening()
  }
}

/** Tells what an answer of `/decrypt` says of a data subject; null when it says nothing. */
export function openedAs(outcome: Outcome, values: readonly unknown[]): "open" | "erased" | "lost" | null {
  if (outcome.kind === "unknown") return null
  if (outcome.kind === "refused") return outcome.code === "data-subject/erased" ? "erased" : "lost"
  return JSON.stringify(outcome.json.values) === JSON.stringify(values) ? "open" : "lost"
}

function newSubject(person: string): LedgerSubject {
  return { person, id: null, sealed: [], state: "open", changedAt: Number.NEGATIVE_INFINITY }
}
