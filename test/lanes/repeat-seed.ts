import { configureGlobal } from 'fast-check'

// `SEED=… npx --no vitest run <file>` repeats the cases of a property that failed: the failure names its seed.
const { SEED } = process.env
if (SEED !== undefined) configureGlobal({ seed: Number(SEED) })
