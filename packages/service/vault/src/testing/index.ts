export { reserveForFile, reserveToOpen, reserveToRewrap, reserveToSeal } from "../documents/held-bytes.ts"
