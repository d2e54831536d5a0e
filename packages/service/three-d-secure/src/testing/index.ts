export {
  ADD_CARD_2_2_0,
  BROWSER_2_2_0,
  BROWSER_2_3_1,
  MERCHANT_2_2_0,
  MERCHANT_2_3_1,
} from "./three-d-secure-messages.ts"
