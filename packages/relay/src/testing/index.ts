export { createTestCiphers } from "../cipher/testing/test-cipher.ts"
