// One file, so that it is one process: all pages share one service, one build of the dashboard and one browser.
import "./dashboard/shell.ts"
import "./dashboard/serving.ts"
import "./dashboard/keys.ts"
import "./dashboard/apps.ts"
import "./dashboard/policies.ts"
import "./dashboard/playground.ts"
import "./dashboard/home.ts"
import "./dashboard/team.ts"
