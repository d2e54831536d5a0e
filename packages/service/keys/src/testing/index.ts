export { createTestAgreement, createTestEnvelope, createTestKeyring } from "./test-keyring.ts"
