import { accessCostTable } from "./access-table.ts"
import { auditExportTable } from "./audit-export-table.ts"
import type { OperationCounts } from "./count-operations.ts"
import { fileCostTable } from "./files-table.ts"
import { hsmCostTable } from "./hsm-table.ts"
import { markdownTable } from "./markdown-table.ts"
import type { Measurements } from "./measured.ts"
import { monitoringFixedTable } from "./monitoring-table.ts"
import { PARTITIONS } from "./quotas.ts"
import { relayCallsTable, relayCostTable, relayFixedTable } from "./relay-tables.ts"
import {
  assumptionsTable,
  bindingLines,
  busyCost,
  callsTable,
  costTable,
  monthsTable,
  partsTable,
  quotaTable,
} from "./tables.ts"

/**
 * Fills the page: puts what is computed between the lines `<!-- NAME -->` and `<!-- end of NAME -->`.
 *
 * @throws Error naming the lines that the page does not have
 */
export function fillPage(
  page: string,
  counted: readonly OperationCounts[],
  relayed: OperationCounts,
  measured: Measurements,
): string {
  const computed = {
    calls: callsTable(counted),
    cost: `${costTable(counted, measured)}\n\nTimes: ${measured.machine}.`,
    parts: partsTable(counted, measured),
    quotas: quotaTable(counted, measured),
    binding: bindingLines(counted, measured),
    bill: monthsTable(counted, measured),
    "access cost": accessCostTable(),
    "audit export cost": auditExportTable(),
    "file cost": fileCostTable(busyCost("get-keys", counted, measured)),
    "hsm cost": hsmCostTable(),
    "relay calls": relayCallsTable(relayed),
    "relay cost": relayCostTable(relayed),
    "relay fixed": relayFixedTable(),
    "monitoring fixed": monitoringFixedTable(),
    partitions: partitionsTable(),
    assumptions: assumptionsTable(),
  }
  return fillLines(page, computed)
}

/** Puts each text between the lines of its name. @throws Error naming the lines that the page does not have */
export function fillLines(page: string, texts: Readonly<Record<string, string>>): string {
  return Object.entries(texts).reduce((filled, [name, text]) => fill(filled, name, text), page)
}

function partitionsTable(): string {
  const rows = Object.entries(PARTITIONS).map(([key, { holds, bound }]) => [`\`${key}\``, holds, bound])
  return markdownTable(["partition key", "what it holds", "bound"], rows, new Set([0, 1, 2]))
}

function fill(page: string, name: string, text: string): string {
  const start = `<!-- ${name} -->`
  const end = `<!-- end of ${name} -->`
  const from = page.indexOf(start)
  const to = page.indexOf(end, from)
  if (from === -1 || to === -1) throw new Error(`The page has no lines ${start} and ${end}`)
  return `${page.slice(0, from)}${start}\n${text}\n${page.slice(to)}`
}
