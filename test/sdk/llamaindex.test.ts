import { sdkSuite, toolSuite } from './support/suite.ts'

const packages = ['@llamaindex/openai', '@llamaindex/core']

sdkSuite(packages, async rig => {
  // These import the packages, so only where they are installed.
  const { loadLlamaIndex } = await import('./llamaindex/sdk.ts')
  const { chatScenarios, toolScenarios } = await import('./llamaindex/answers.ts')
  const { errorScenarios } = await import('./llamaindex/errors.ts')
  const { vectorScenarios } = await import('./llamaindex/vectors.ts')
  const sdk = await loadLlamaIndex(rig)
  chatScenarios(sdk)
  toolScenarios(sdk)
  vectorScenarios(sdk)
  errorScenarios(sdk)
})

toolSuite(packages, async rig => {
  const { loadLlamaIndex } = await import('./llamaindex/sdk.ts')
  const { hostedToolScenarios } = await import('./llamaindex/hosted-tools.ts')
  hostedToolScenarios(await loadLlamaIndex(rig), rig)
})
