import { andThen, type MaybePromise } from "@sealway/kernel"
import type { Decision, RoleRequest } from "@sealway/policies"
import type { OpenedValue } from "@sealway/tokens"
import type { HoneyValue } from "../values/honey-value.ts"
import type { DecryptedValues } from "./decrypted-values.ts"
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
}

/** What is decided on the values of a request: all of them are permitted, or the request is refused at a place. */
export type Judgement<Place> = Permitted | RefusedAt<Place>

interface Permitted {
  readonly refused: null
  readonly values: DecryptedValues
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
    { requiresRoles = false, otherRoles = [] }: JudgeOptions = {},
  ): MaybePromise<Judgement<Place>> {
    if (requiresRoles && this.#withoutRole > 0) return this.#refusedFor(WITHOUT_ROLE)
    const requests = this.#requests(otherRoles)
    if (requests.length === 0) return this.#conclude(new Map())
    return andThen(decide(requests), (decisions) => this.#conclude(decisions, requests))
  }

  #requests(otherRoles: readonly string[]): readonly RoleRequest[] {
    if (this.#roles.size === 0 && otherRoles.length === 0) return []
    const counts = new Map(this.#roles)
    for (const role of otherRoles) counts.set(role, (counts.get(role) ?? 0) + 1)
    if (this.#honey.size === 0) return [...counts].map(([role, values]) => ({ role, values }))
    const honeyRoles = this.#honeyRoles()
    return [...counts.keys()].map((role) => ({ role, values: 0, isRefused: honeyRoles.has(role) }))
  }

  #conclude(
    decisions: ReadonlyMap<string, Decision>,
    requests: readonly RoleRequest[] = [],
  ): Judgement<Place> {
    const honeyRoles = this.#honeyRoles()
    let isStrict = false
    for (const { role } of requests) {
      const decision = decisions.get(role)
      if (decision?.decision !== "permit") {
        const { reason = "no-decision", policyIds = [] } = decision ?? {}
        return this.#refusedFor({ role, reason, policyIds })
      }
      if (honeyRoles.has(role)) return this.#refusedFor(honeyRefusal(role))
      isStrict ||= decision.accessLog === "strict"
    }
    if (honeyRoles.has(null)) return this.#refusedFor(honeyRefusal(null))
    return { refused: null, values: { roles: this.#roles, withoutRole: this.#withoutRole, isStrict } }
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
