import { Button, type ButtonProps } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import look from './look.module.css';
import { useStillness } from './stillness.ts';

interface Props extends Omit<ButtonProps, 'className'> {
  readonly children: ReactNode;
  readonly onClick: () => void;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string;
}

/**
 * A button that grants trust or deletes something for good. It ignores clicks and keys for a second after it appeared or
 * moved, and looks faint meanwhile: such a click was aimed at the element that was there before.
 */
export function SteadyButton({ onClick, children, ...props }: Props): ReactElement {
  const { ref, still, isStill } = useStillness();
  return (
    <Button
      {...props}
      ref={ref}
      className={look.steady}
      // Not disabled: that would take the focus away.
      aria-disabled={still ? undefined : true}
      onClick={() => {
        if (isStill()) onClick();
      }}
    >
      {children}
    </Button>
  );
}
