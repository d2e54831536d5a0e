import { andThen, type MaybePromise } from "@sealway/kernel"
import { HIDE_ALL, type Mask } from "@sealway/kernel/masks"
import type { Decision, RevealMode, RoleRequest } from "@sealway/policies"
import type { OpenedValue } from "@sealway/tokens"
import type { HoneyValue } from "../values/honey-value.ts"
import { type DecryptedValues, NONE_MASKED } from "./decrypted-values.ts"
import {
  DecryptionForbiddenError,
  honeyRefusal,
  type Refusal,
  WITHOUT_ROLE,
} from "./decryption-forbidden-error.ts"

/** Decides on the roles of a request, each with the number of its values. */
export type DecideRoles = (roles: readonly RoleRequest[]) => MaybePromise<ReadonlyMap<string, Decision>>

export interface JudgeOptions {
  /** Refuses values without a data role, which no policies protect. Default: false. */
  readonly requiresRoles?: boolean
  /** The roles of further values that the request needs opened. Default: none. */
  readonly otherRoles?: readonly string[]
  /** Roles whose values are taken in full only, whatever `reveal` says. Default: none. */
  readonly fullRoles?: ReadonlySet<string | null>
  /**
   * What the request takes. With `any` or `masked`, the caller must mask the values as `Permitted.masks` says. With `full`,
   * a refusal says that policies permit masks. Default: full values, without saying so.
   */
  readonly reveal?: RevealMode | undefined
  /** Whether a refusal says that a reason is required: the caller can give one. Default: it does not. */
  readonly takesReason?: boolean | undefined
}

/** What is decided on the values of a request: all of them are permitted, or the request is refused at a place. */
export type Judgement<Place> = Permitted | RefusedAt<Place>

interface Permitted {
  readonly refused: null
  readonly values: DecryptedValues
  /** The masks of the values that may only be returned masked, by their role; null for those without one. */
  readonly masks: ReadonlyMap<string | null, Mask>
}

interface RefusedAt<Place> {
  readonly refused: {
    /** Of the first value of the refused role, which may not be the one that it is refused for. */
    readonly place: Place | undefined
    /** @param pointer JSON Pointer to the place */
    error(pointer: string): DecryptionForbiddenError
  }
}

const NO_ROLES: ReadonlySet<string | null> = new Set()

/**
 * The opened values of one request, counted by role. Every way to decrypt asks it whether it may: it alone decides what
 * becomes of honey tokens.
 */
export class RoleTally<Place> {
  readonly #roles = new Map<string, number>()
  readonly #firstPlaces = new Map<string | null, Place>()
  readonly #honey = new Map<string, HoneyValue>()
  #withoutRole = 0

  add(opened: Pick<OpenedValue, "role" | "value"> | HoneyValue, place: Place): void {
    const { role } = opened
    if (role === null) {
      if (this.#withoutRole++ === 0) this.#firstPlaces.set(role, place)
    } else {
      const known = this.#roles.get(role)
      if (known === undefined) this.#firstPlaces.set(role, place)
      this.#roles.set(role, (known ?? 0) + 1)
    }
    if (opened.value === null) this.#honey.set(opened.mark, opened)
  }

  /**
   * Decides whether the values may be returned. A honey token is refused as its role's policies would refuse it: after
   * the same work, and at the same place. No budget is spent then.
   *
   * @param decide called once with all roles; not at all when there are none
   */
  judge(
    decide: DecideRoles,
    { requiresRoles = false, otherRoles = [], fullRoles = NO_ROLES, ...takes }: JudgeOptions = {},
  ): MaybePromise<Judgement<Place>> {
    if (requiresRoles && this.#withoutRole > 0) return this.#refusedFor(WITHOUT_ROLE)
    const requests = this.#requests(otherRoles, fullRoles, takes.reveal)
    if (requests.length === 0) return this.#conclude(new Map(), [], takes)
    return andThen(decide(requests), (decisions) => this.#conclude(decisions, requests, takes))
  }

  #requests(
    otherRoles: readonly string[],
    fullRoles: ReadonlySet<string | null>,
    reveal: RevealMode | undefined,
  ): readonly RoleRequest[] {
    if (this.#roles.size === 0 && otherRoles.length === 0) return []
    const counts = new Map(this.#roles)
    for (const role of otherRoles) counts.set(role, (counts.get(role) ?? 0) + 1)
    // The further values are opened elsewhere, where nothing masks them.
    const takenOf = (role: string) => (fullRoles.has(role) || otherRoles.includes(role) ? undefined : reveal)
    if (this.#honey.size === 0) {
      return [...counts].map(([role, values]) => ({ role, values, reveal: takenOf(role) }))
    }
    const honeyRoles = this.#honeyRoles()
    return [...counts.keys()].map((role) => ({
      role,
      values: 0,
      isRefused: honeyRoles.has(role),
      reveal: takenOf(role),
    }))
  }

  #conclude(
    decisions: ReadonlyMap<string, Decision>,
    requests: readonly RoleRequest[],
    { reveal, takesReason = false }: Pick<JudgeOptions, "reveal" | "takesReason">,
  ): Judgement<Place> {
    const honeyRoles = this.#honeyRoles()
    const masks = new Map<string | null, Mask>()
    let isStrict = false
    for (const { role, reveal: taken } of requests) {
      const decision = decisions.get(role)
      const takesMasks = taken === "any" || taken === "masked"
      const mask = decision?.decision === "masked" && takesMasks ? decision.mask : undefined
      const isFull = decision?.decision === "permit" && taken !== "masked"
      if (!isFull && mask === undefined) {
        const { reason = "no-decision", policyIds = [] } = decision ?? {}
        const saysWhy =
          (reason === "masked-only" && reveal === "full") || (reason === "reason-required" && takesReason)
        return this.#refusedFor({ role, reason, policyIds, ...(saysWhy && { code: `decrypt/${reason}` }) })
      }
      if (honeyRoles.has(role)) return this.#refusedFor(honeyRefusal(role))
      isStrict ||= decision?.accessLog === "strict"
      if (mask !== undefined) masks.set(role, mask)
    }
    if (honeyRoles.has(null)) return this.#refusedFor(honeyRefusal(null))
    // No policies protect values without a role, but a request for masks gets nothing else.
    if (reveal === "masked" && this.#withoutRole > 0) masks.set(null, HIDE_ALL)
    const [roles, withoutRole] = [this.#roles, this.#withoutRole]
    const masked = masks.size === 0 ? NONE_MASKED : this.#countsOf(masks)
    return { refused: null, values: { roles, withoutRole, isStrict, masked }, masks }
  }

  #countsOf(masks: Permitted["masks"]): DecryptedValues["masked"] {
    const countOf = (role: string | null) =>
      role === null ? this.#withoutRole : (this.#roles.get(role) ?? 0)
    return new Map(
      [...masks.keys()].map((role) => [role, countOf(role)] as const).filter(([, count]) => count > 0),
    )
  }

  #honeyRoles(): ReadonlySet<string | null> {
    return this.#honey.size === 0 ? NO_ROLES : new Set([...this.#honey.values()].map(({ role }) => role))
  }

  /**
   * Puts the marks of the refused role first, because the audit log has only the first ones: whoever learns from the
   * place that there is a honey token cannot hide it behind others.
   */
  #refusedFor(refusal: Refusal): RefusedAt<Place> {
    const isOfRole = ({ role }: HoneyValue) => role === refusal.role
    const honey = [...this.#honey.values()]
    const marks = [...honey.filter(isOfRole), ...honey.filter((each) => !isOfRole(each))].map(
      ({ mark }) => mark,
    )
    const place = this.#firstPlaces.get(refusal.role)
    return { refused: { place, error: (pointer) => new DecryptionForbiddenError(pointer, refusal, marks) } }
  }
}
