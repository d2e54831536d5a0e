import { endpoint } from "@sealway/http"
import type { MemberDependencies } from "../dependencies.ts"
import { signInPage } from "../sign-in/sign-in-page.ts"

export const openSignInPage = endpoint({
  id: "open-sign-in-page",
  method: "GET",
  path: "/sign-in",
  tag: "Members",
  summary: "Show the page that signs members in",
  description: "For browsers.",
  auth: [],
  reveals: "nothing",
  status: 200,
  reply: { kind: "document", formats: ["page"], description: "The page" },
  errors: [],
  grants: [],
  answer: (_, { signIn }: MemberDependencies) => signInPage(signIn),
})
