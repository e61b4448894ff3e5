export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="currentColor" />
    <path
      d="M8 10h11a4 4 0 0 1 0 8h-6a2.5 2.5 0 0 0 0 5h11"
      fill="none"
      stroke="var(--bg)"
      stroke-width="3"
      stroke-linecap="round"
    />
  </svg>
)
