export { updateApp } from "../accounts/apps.ts"
