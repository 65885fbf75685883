import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';
import { commonWords } from './words.ts';

/** The one accent: for the light, the primary action and what waits. */
const amber: MantineColorsTuple = [
  '#fff6e5',
  '#fdeac8',
  '#fad793',
  '#f7c35f',
  '#f4b244',
  '#f2a93b',
  '#dd9220',
  '#b87412',
  '#8a560b',
  '#5c3906',
];

/** Warm greys: every other surface. */
const stone: MantineColorsTuple = [
  '#faf8f5',
  '#f3f0ea',
  '#e7e2da',
  '#d5cec4',
  '#b5aca0',
  '#8f867b',
  '#6b635a',
  '#504943',
  '#38332e',
  '#24201d',
];

const night: MantineColorsTuple = [
  '#ebe5dd',
  '#cfc7bc',
  '#b0a79b',
  '#8a8177',
  '#4b453e',
  '#38332e',
  '#2a2622',
  '#1c1917',
  '#151311',
  '#0e0c0b',
];

/** Dialogs are surfaces. */
const dialog = {
  title: { fontWeight: 600, lineHeight: 1.35, overflowWrap: 'anywhere' },
  header: { background: 'var(--porchlight-surface)' },
  content: { background: 'var(--porchlight-surface)' },
} as const;

/** The house style on Mantine's components. */
export const theme = createTheme({
  fontFamily:
    '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, Cantarell, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  colors: { amber, stone, gray: stone, dark: night },
  primaryColor: 'stone',
  primaryShade: { light: 8, dark: 2 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Most of these hold names and addresses. The fields for prose are text areas, which are checked.
    TextInput: { defaultProps: { spellCheck: false } },
    // Mantine gives this button no name.
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': commonWords.close } } },
    Switch: { defaultProps: { color: 'var(--porchlight-tick)' } },
    Checkbox: { defaultProps: { color: 'var(--porchlight-tick)', iconColor: 'white' } },
    // The bar at the lower edge of a narrow window covers what is behind it.
    Menu: { defaultProps: { middlewares: { flip: { padding: { bottom: 70 } }, shift: true } } },
    Modal: { defaultProps: { radius: 'lg' }, styles: dialog },
    Drawer: { styles: dialog },
    // On a narrow screen, the choices that don't fit go to the next line: Mantine would cut them off.
    SegmentedControl: {
      defaultProps: { withItemsBorders: false },
      styles: { root: { flexWrap: 'wrap' } },
    },
    Fieldset: {
      styles: {
        root: { padding: 0, margin: 0 },
        legend: { padding: 0, fontWeight: 600, fontSize: 'var(--mantine-font-size-sm)' },
      },
    },
  },
  // A scale of 1.25: 13, 16, 20, 25 and, as --porchlight-display, 31 pixels.
  fontSizes: { xs: '0.8125rem', sm: '0.8125rem', md: '1rem', lg: '1.25rem', xl: '1.5625rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.5625rem', lineHeight: '1.3' },
      h2: { fontSize: '1.25rem', lineHeight: '1.4' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
      h4: { fontSize: '1rem', lineHeight: '1.4' },
      h5: { fontSize: '1rem', lineHeight: '1.4' },
      h6: { fontSize: '0.8125rem', lineHeight: '1.4' },
    },
  },
});

/** Colours of text and of controls’ edges that stand out on our surfaces (WCAG 1.4.3, 1.4.11). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    '--porchlight-display': '1.9375rem',
    '--mantine-line-height-sm': '1.5',
  },
  light: {
    '--mantine-color-body': '#f7f4ef',
    '--porchlight-sidebar': '#f1ede6',
    '--porchlight-surface': '#ffffff',
    '--porchlight-quiet': '#efebe4',
    '--porchlight-hover': '#ebe6de',
    '--porchlight-lift': '0 1px 2px rgb(36 32 29 / 7%)',
    '--mantine-color-text': stone[9],
    '--mantine-color-dimmed': stone[6],
    '--mantine-color-placeholder': stone[6],
    '--mantine-color-default-border': stone[3],
    '--mantine-color-error': '#b3261e',
    '--porchlight-tick': stone[7],
    '--porchlight-edge': stone[5],
    '--porchlight-warning': '#8a4b00',
  },
  dark: {
    '--mantine-color-body': night[7],
    '--porchlight-sidebar': '#171412',
    '--porchlight-surface': '#26221f',
    '--porchlight-quiet': '#231f1c',
    '--porchlight-hover': '#302b27',
    '--porchlight-lift': 'none',
    '--mantine-color-text': night[0],
    '--mantine-color-dimmed': night[2],
    '--mantine-color-placeholder': night[2],
    '--mantine-color-error': '#ffa39b',
    '--porchlight-tick': stone[5],
    '--porchlight-edge': night[3],
    '--porchlight-warning': '#f4b673',
  },
});
