export { sampleData } from "../events/sample-event.ts"
