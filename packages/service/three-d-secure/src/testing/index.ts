export { BROWSER_2_2_0, BROWSER_2_3_1, MERCHANT_2_2_0 } from "./three-d-secure-messages.ts"
