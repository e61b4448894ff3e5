import { sdkSuite, toolSuite } from './support/suite.ts'

const packages = ['ai', '@ai-sdk/openai-compatible']

sdkSuite(packages, async rig => {
  // These import packages, so only where they are installed.
  const { loadAiSdk } = await import('./ai-sdk/sdk.ts')
  const { chatScenarios, toolScenarios } = await import('./ai-sdk/answers.ts')
  const { errorScenarios } = await import('./ai-sdk/errors.ts')
  const { vectorScenarios } = await import('./ai-sdk/vectors.ts')
  const sdk = await loadAiSdk(rig)
  chatScenarios(sdk)
  toolScenarios(sdk)
  vectorScenarios(sdk)
  errorScenarios(sdk)
})

toolSuite(packages, async rig => {
  const { loadAiSdk } = await import('./ai-sdk/sdk.ts')
  const { hostedToolScenarios } = await import('./ai-sdk/hosted-tools.ts')
  hostedToolScenarios(await loadAiSdk(rig), rig)
})
