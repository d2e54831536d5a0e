export { createTestCiphers } from "../cipher/testing/test-cipher.ts"
export { TEST_RELAY } from "./test-relay.ts"
