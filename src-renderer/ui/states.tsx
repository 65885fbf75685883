import { Button, Group, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { Foreign } from './foreign.tsx';
import look from './look.module.css';

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  /** What is being read, for the words: "the apps". */
  readonly what: string;
  readonly children: (data: T) => ReactNode;
}

/** What a question answers, with the states before and instead of an answer. */
export function Loaded<T>({ query, what, children }: LoadedProps<T>): ReactElement {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) {
    return (
      <Stack gap="sm" align="flex-start">
        <ErrorNote error={query.error} doing={`Porchlight could not read ${what}.`} />
        <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          Try again
        </Button>
      </Stack>
    );
  }
  return (
    <div role="status">
      <VisuallyHidden>Reading {what}…</VisuallyHidden>
      <Skeleton height={18} width="60%" mb="sm" />
      <Skeleton height={18} width="40%" />
    </div>
  );
}

/** Why a call failed, beside what caused it. Nothing where there is no error. */
export function ErrorNote({ error, doing }: { error: Error | null; doing?: string }): ReactElement | null {
  if (!error) return null;
  return (
    <div role="alert" className={`${look.note} ${look.errorNote}`}>
      <IconAlertTriangle size={20} aria-hidden="true" />
      <div className={look.rowBody}>
        {doing !== undefined && <Text fw={600}>{doing}</Text>}
        <Text>
          <Foreign text={error.message} fallback="Nobody knows why." />
        </Text>
      </div>
    </div>
  );
}

/** Something the owner should know before going on. */
export function WarningNote({ children }: { children: ReactNode }): ReactElement {
  return (
    <div className={`${look.note} ${look.warningNote}`}>
      <IconAlertTriangle size={20} aria-hidden="true" />
      <div className={look.rowBody}>{children}</div>
    </div>
  );
}

/** A list without anything in it: what this place is for, and the one next step. */
export function Empty({ children, step }: { children: ReactNode; step?: ReactNode }): ReactElement {
  return (
    <div className={look.empty}>
      <Text>{children}</Text>
      {step !== undefined && <Group mt="sm">{step}</Group>}
    </div>
  );
}
