export type { DataRole } from "./data-role.ts"
export { createDataRole } from "./data-role-table.ts"
export { createDataRoles, type DataRoles, type Decision } from "./data-roles.ts"
