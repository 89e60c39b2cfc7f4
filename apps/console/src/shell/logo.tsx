/** A line of bars that stands to attention as an M; the one in front has been called. */
export function Logo({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#0c656e" />
      <g fill="#fff">
        <rect x="6" y="7" width="3.2" height="18" rx="1.6" />
        <rect x="10.2" y="9.5" width="3.2" height="9" rx="1.6" opacity=".72" />
        <rect x="18.6" y="9.5" width="3.2" height="9" rx="1.6" opacity=".72" />
        <rect x="22.8" y="7" width="3.2" height="18" rx="1.6" />
      </g>
      <rect x="14.4" y="13.5" width="3.2" height="9" rx="1.6" fill="#ffc857" />
    </svg>
  );
}
