import { sdkSuite, writtenSuite } from './support/suite.ts'

const packages = ['@anthropic-ai/sdk']

// These import the package, so only where it is installed.
writtenSuite(packages, async () => {
  const { writtenScenarios } = await import('./anthropic/written.ts')
  writtenScenarios()
})

sdkSuite(packages, async rig => {
  const { loadSdk } = await import('./anthropic/sdk.ts')
  const { answerScenarios } = await import('./anthropic/answers.ts')
  const { errorScenarios } = await import('./anthropic/errors.ts')
  const sdk = loadSdk(rig)
  answerScenarios(sdk)
  errorScenarios(sdk)
})
