// One file, so that it is one process: the functions are bundled once, by the synthesis that it starts.
import "./assembly/bundles.ts"
import "./assembly/bundle-calls.ts"
import "./assembly/synth.ts"
import "./assembly/cdk.ts"
import "./assembly/deployment.ts"
import "./assembly/validation.ts"
