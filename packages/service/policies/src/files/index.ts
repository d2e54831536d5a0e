/** Reads and tests policy files, for tools that work without the service. */

export { type PolicyInput, policyInputSchema, ruleOf } from "../rules/policy-input.ts"
export {
  type DocumentResult,
  type FileDocument,
  type FileProblem,
  type PolicyFile,
  type PolicyFilesResult,
  type PolicyTestFile,
  policyFileSchema,
  policyTestFileSchema,
  type RoleInput,
  readDocument,
  readPolicyFiles,
  roleInputSchema,
} from "./policy-files.ts"
export { type PolicyTestResult, runPolicyTests } from "./policy-tests.ts"
export {
  type NamedProperty,
  namedProperty,
  type Property,
  type Region,
  regionProblem,
} from "./proof-input.ts"
