import DefaultTheme from 'vitepress/theme'
import FlowDiagram from './flow-diagram.vue'

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => app.component('FlowDiagram', FlowDiagram),
}
