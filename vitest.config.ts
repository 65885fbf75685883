import { defineConfig } from 'vitest/config';
import react from '@vitejs/plugin-react';

// Three suites, one runner: so that one line counts them all (see .ci/test.ts).
export default defineConfig({
  plugins: [react()],
  test: {
    projects: [
      { extends: true, test: { name: 'unit', include: ['tests/unit/**/*.test.{ts,tsx}'] } },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['tests/integration/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          testTimeout: 90_000,
          hookTimeout: 90_000,
          fileParallelism: false,
          // A second, as it comes, is short for a program that starts others on a machine with more to do.
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
});
