import "./dashboard/injection.ts"
