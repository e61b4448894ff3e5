import { sdkSuite } from './support/suite.ts'

sdkSuite(['@llamaindex/openai', '@llamaindex/core'], async rig => {
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
