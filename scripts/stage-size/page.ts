import { fillLines } from "../scale-and-cost/page.ts"
import { type Stages, stageCostTable, stageQuotasTable } from "./tables.ts"

/** Fills docs/deployment.md. @throws Error naming the lines that the page does not have */
export function fillDeploymentPage(page: string, stages: Stages): string {
  return fillLines(page, { "stage quotas": stageQuotasTable(stages), "stage cost": stageCostTable(stages) })
}
