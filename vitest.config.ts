import { defineConfig } from 'vitest/config';
import react from '@vitejs/plugin-react';

// Three suites, one runner: so that one line counts them all (see .ci/test.ts).
export default defineConfig({
  plugins: [react()],
  test: {
    // A second, as it comes, is short on a machine with more to do.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'unit', include: ['tests/unit/**/*.test.{ts,tsx}'] } },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['tests/integration/**/*.test.ts'],
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
        },
      },
    ],
  },
});
