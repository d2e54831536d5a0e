import { createId } from "@sealway/kernel"
import type { AccessRecord } from "@sealway/records"
import { RelayError } from "@sealway/relay-engine"
import {
  auditDecryption,
  type DecryptedValues,
  type DecryptionContext,
  decryptionRecordOf,
  type RecordDecryptionDependencies,
} from "@sealway/vault"

/**
 * Counts what one exchange decrypts, in all its messages, and records it once the exchange has ended. If a role
 * requires it, what a message decrypts is in the audit log before the message is forwarded.
 */
export class ExchangeAccess {
  readonly #dependencies: RecordDecryptionDependencies
  readonly #context: DecryptionContext
  #roles = new Map<string, number>()
  #withoutRole = 0
  #masked = new Map<string | null, number>()
  /** The name and the time of the record: those of the first value. Null: nothing was decrypted yet. */
  #name: { readonly id: string; readonly at: number } | null = null
  #isOver = false

  constructor(dependencies: RecordDecryptionDependencies, context: DecryptionContext) {
    this.#dependencies = dependencies
    this.#context = context
  }

  /**
   * Call it before the values are forwarded.
   *
   * @throws RelayError `service-unavailable` when a role requires a record in the audit log, and it cannot be written
   */
  async opened(values: DecryptedValues, stage: "request" | "response"): Promise<void> {
    const at = this.#dependencies.wallClock()
    const name = this.#name ?? { id: createId("access", at), at }
    this.#name = name
    if (values.isStrict) await this.#audit(decryptionRecordOf(this.#context, values, name), stage)
    // If a destination answers before all of a request's body was sent, the rest has a separate record.
    this.#name ??= { id: createId("access", at), at }
    addCounts(this.#roles, values.roles)
    addCounts(this.#masked, values.masked)
    this.#withoutRole += values.withoutRole
    if (this.#isOver) this.end()
  }

  /** Records what was decrypted, if anything. */
  end(): void {
    this.#isOver = true
    const values = { roles: this.#roles, withoutRole: this.#withoutRole, masked: this.#masked }
    if (this.#name === null || (values.roles.size === 0 && values.withoutRole === 0)) return
    this.#dependencies.accessLog.record(decryptionRecordOf(this.#context, values, this.#name))
    this.#roles = new Map()
    this.#withoutRole = 0
    this.#masked = new Map()
    this.#name = null
  }

  async #audit(record: AccessRecord, stage: "request" | "response"): Promise<void> {
    try {
      await auditDecryption(this.#dependencies.audit, this.#context, record)
    } catch (cause) {
      const detail = "The decryption could not be recorded. Try again shortly."
      throw new RelayError("service-unavailable", detail, { stage, cause })
    }
  }
}

function addCounts<Role>(sums: Map<Role, number>, counts: ReadonlyMap<Role, number>): void {
  for (const [role, count] of counts) sums.set(role, (sums.get(role) ?? 0) + count)
}
