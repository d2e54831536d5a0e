import { ConflictError } from "@sealway/kernel"
import { keepWithinLimit, type LimitedCount, type Records, type Table } from "@sealway/ports"
import { type AuditEntry, type AuditLog, audited } from "./audit-log.ts"

export interface ChangeDependencies {
  readonly configTable: Table
  readonly audit: AuditLog
}

export interface ChangeRules<
  Value extends { readonly revision: number },
  Name extends keyof Value,
  Dependencies extends ChangeDependencies,
> {
  readonly records: Records<Value, Name>
  /** How many records an owner may have. */
  readonly max: number
  /** The error text when an owner has reached the limit. */
  readonly tooMany: string
  /** The error text when another call changed or removed the record first. */
  readonly changedMeanwhile: string
  /** The error text when a record with the name exists. Default: none, because names are new ids. */
  readonly taken?: string
  /** Returns the prefix of the names of the records that the limit covers. Default: all records of the owner count. */
  readonly within?: (created: Value) => string
  /** Whether a record counts towards the limit for a new one. Default: all do. */
  readonly counts?: (record: Value, created: Value) => boolean
  /** Whether a new record beyond the limit may be removed again, given its current state. Default: always. */
  readonly mayBeUndone?: (record: Value) => boolean
  /** Makes this process read an owner's records again instead of using its cache. Default: there is no cache. */
  readonly forget?: (dependencies: Dependencies, owner: string) => void
}

/** Changes records of one kind in the config table. Each change is recorded in the audit log before it is made. */
export interface RecordChanges<Value, Dependencies> {
  /** Checks the limit. @throws ConflictError when an owner with these records may not have another */
  requireRoom(known: readonly Value[]): void
  /**
   * Creates a record.
   *
   * @param count counts what is limited, after the write. Default: the owner's records, limited by `max`
   * @throws ConflictError when a record with the name exists, or others created at the same time used up the limit
   */
  create(
    dependencies: Dependencies,
    entry: AuditEntry,
    owner: string,
    record: Value,
    count?: () => Promise<readonly LimitedCount[]>,
  ): Promise<Value>
  /** Returns the record as it is now stored. @throws ConflictError when another call changed or removed it first */
  replace(dependencies: Dependencies, entry: AuditEntry, owner: string, record: Value): Promise<Value>
  /** Removes a record, unless it is gone. @throws ConflictError when another call changed it first */
  remove(dependencies: Dependencies, entry: AuditEntry, owner: string, record: Value): Promise<void>
}

export function recordChanges<
  Value extends { readonly id: string; readonly revision: number },
  Name extends keyof Value,
  Dependencies extends ChangeDependencies,
>({
  records,
  max,
  tooMany,
  changedMeanwhile,
  taken,
  within = () => "",
  counts = () => true,
  mayBeUndone = () => true,
  forget = () => {},
}: ChangeRules<Value, Name, Dependencies>): RecordChanges<Value, Dependencies> {
  return {
    requireRoom(known) {
      if (known.length >= max) throw new ConflictError(tooMany)
    },

    create(dependencies, entry, owner, record, count) {
      const { configTable: table, audit } = dependencies
      const countAll = async () => {
        const others = await records.list(table, owner, within(record))
        const ids = others.filter((other) => counts(other, record)).map(({ id }) => id)
        return [{ ids, max, refusal: tooMany }]
      }
      return audited(audit, entry, async () => {
        if (!(await records.create(table, owner, record))) {
          throw taken === undefined ? new Error("A new id is taken") : new ConflictError(taken)
        }
        await keepWithinLimit({
          id: record.id,
          count: count ?? countAll,
          undo: async () => {
            const found = await records.find(table, owner, record)
            const isLeft = found?.id !== record.id || !mayBeUndone(found)
            return isLeft || records.remove(table, owner, found)
          },
        })
        forget(dependencies, owner)
        return record
      })
    },

    replace: (dependencies, entry, owner, record) =>
      audited(dependencies.audit, entry, async () => {
        const stored = await records.replace(dependencies.configTable, owner, record)
        if (stored === null) throw new ConflictError(changedMeanwhile)
        forget(dependencies, owner)
        return stored
      }),

    remove: (dependencies, entry, owner, record) =>
      audited(dependencies.audit, entry, async () => {
        if (!(await records.remove(dependencies.configTable, owner, record))) {
          throw new ConflictError(changedMeanwhile)
        }
        forget(dependencies, owner)
      }),
  }
}
