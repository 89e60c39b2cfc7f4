import { createTheme } from '@mantine/core';
import type { CSSVariablesResolver, MantineColorsTuple } from '@mantine/core';

/** Petrol: apart from the greens, blues, ambers and reds that mean a state. */
const petrol: MantineColorsTuple = [
  '#eaf6f7',
  '#d5eaec',
  '#a9d4d8',
  '#79bdc3',
  '#4ea6ae',
  '#2b8f98',
  '#147a84',
  '#0c656e',
  '#0a525a',
  '#073e44',
];

/** Mantine's greys of the dark scheme, in the hue of our own surfaces. */
const dark: MantineColorsTuple = [
  '#e3e7ea',
  '#c3cad0',
  '#98a4ae',
  '#6b7782',
  '#3a434c',
  '#2b333b',
  '#1e242a',
  '#161a1f',
  '#12161a',
  '#0f1215',
];

export const theme = createTheme({
  colors: { petrol, dark },
  primaryColor: 'petrol',
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: { fontWeight: '600' },
  components: {
    // Mantine's scroll lock writes a style element without a nonce, which the browser would refuse.
    Modal: {
      defaultProps: {
        lockScroll: false,
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
      styles: { title: { fontSize: 'var(--mantine-font-size-lg)', fontWeight: 600 } },
    },
    Drawer: { defaultProps: { lockScroll: false } },
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, withinPortal: false } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
  },
});

/** Mantine paints with our own surfaces (tokens in globals.css, which know light from dark themselves). */
export const cssVariables: CSSVariablesResolver = () => {
  const surfaces = {
    '--mantine-color-body': 'var(--surface)',
    '--mantine-color-text': 'var(--ink)',
    '--mantine-color-dimmed': 'var(--ink-soft)',
    '--mantine-color-placeholder': 'var(--ink-soft)',
    '--mantine-color-default': 'var(--surface)',
    '--mantine-color-default-hover': 'var(--hover)',
    '--mantine-color-default-color': 'var(--ink)',
    '--mantine-color-default-border': 'var(--line-strong)',
    '--mantine-color-anchor': 'var(--link)',
    '--mantine-color-error': 'var(--bad)',
    '--mantine-color-petrol-light-color': 'var(--link)',
    '--mantine-color-red-light-color': 'var(--bad)',
    '--mantine-color-red-filled': '#bd2c2c',
    '--mantine-color-red-filled-hover': '#a32424',
  };
  return { variables: {}, light: surfaces, dark: surfaces };
};
