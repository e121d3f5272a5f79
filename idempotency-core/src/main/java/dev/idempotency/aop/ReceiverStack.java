/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package dev.idempotency.aop;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

import dev.idempotency.aop.CallsOnThis.Target;

/**
 * The operand stack of a method, as far as it is known where {@code this} is on it: a
 * call of another object of the same class, such as the bean's own proxy, is no call on
 * {@code this}. An expression too unusual to follow is taken for another object.
 */
final class ReceiverStack extends MethodVisitor {

	private final boolean hasThis;

	private final BiConsumer<String, Target> calls;

	private final Map<Label, Slots> jumps = new HashMap<>();

	private Slots stack = new Slots(0, new BitSet());

	private boolean reachable = true;

	/**
	 * Creates a stack.
	 * @param hasThis whether the first local variable is {@code this}
	 * @param calls takes the class and the method of each call
	 */
	ReceiverStack(boolean hasThis, BiConsumer<String, Target> calls) {
		super(SpringAsmInfo.ASM_VERSION);
		this.hasThis = hasThis;
		this.calls = calls;
	}

	@Override
	public void visitVarInsn(int opcode, int variable) {
		switch (opcode) {
			case Opcodes.ALOAD -> this.stack.push(this.hasThis && variable == 0);
			case Opcodes.ILOAD, Opcodes.FLOAD -> this.stack.replace(0, 1);
			case Opcodes.LLOAD, Opcodes.DLOAD -> this.stack.replace(0, 2);
			case Opcodes.ISTORE, Opcodes.FSTORE, Opcodes.ASTORE -> this.stack.replace(1, 0);
			case Opcodes.LSTORE, Opcodes.DSTORE -> this.stack.replace(2, 0);
			default -> this.stack.forget();
		}
	}

	@Override
	public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
		int sizes = Type.getArgumentsAndReturnSizes(descriptor);
		int arguments = (sizes >> 2) - ((opcode == Opcodes.INVOKESTATIC) ? 1 : 0);
		boolean dispatched = opcode == Opcodes.INVOKEVIRTUAL || opcode == Opcodes.INVOKEINTERFACE;
		if (dispatched && this.stack.isThis(arguments)) {
			this.calls.accept(owner, new Target(name, descriptor));
		}
		this.stack.replace(arguments, sizes & 3);
	}

	/**
	 * The first value that a reference to a method captures is its receiver. The body of
	 * a lambda expression is a method of the class, whether it uses {@code this} or not.
	 */
	@Override
	public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
		int sizes = Type.getArgumentsAndReturnSizes(descriptor);
		int captured = (sizes >> 2) - 1;
		for (Object argument : arguments) {
			if (argument instanceof Handle handle
					&& (this.stack.isThis(captured) || handle.getTag() == Opcodes.H_INVOKESTATIC)) {
				this.calls.accept(handle.getOwner(), new Target(handle.getName(), handle.getDesc()));
			}
		}
		this.stack.replace(captured, sizes & 3);
	}

	@Override
	public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
		int size = Type.getType(descriptor).getSize();
		switch (opcode) {
			case Opcodes.GETSTATIC -> this.stack.replace(0, size);
			case Opcodes.PUTSTATIC -> this.stack.replace(size, 0);
			case Opcodes.GETFIELD -> this.stack.replace(1, size);
			default -> this.stack.replace(1 + size, 0);
		}
	}

	@Override
	public void visitTypeInsn(int opcode, String type) {
		switch (opcode) {
			case Opcodes.NEW -> this.stack.replace(0, 1);
			case Opcodes.CHECKCAST -> {
				// The same object.
			}
			default -> this.stack.replace(1, 1);
		}
	}

	@Override
	public void visitInsn(int opcode) {
		switch (opcode) {
			case Opcodes.NOP -> {
				// Nothing.
			}
			case Opcodes.POP, Opcodes.MONITORENTER, Opcodes.MONITOREXIT -> this.stack.replace(1, 0);
			case Opcodes.POP2 -> this.stack.replace(2, 0);
			case Opcodes.DUP -> this.stack.push(this.stack.isThis(1));
			case Opcodes.DUP_X1 -> this.stack.replace(2, 3);
			case Opcodes.DUP_X2 -> this.stack.replace(3, 4);
			case Opcodes.DUP2 -> this.stack.replace(2, 4);
			case Opcodes.DUP2_X1 -> this.stack.replace(3, 5);
			case Opcodes.DUP2_X2 -> this.stack.replace(4, 6);
			case Opcodes.SWAP -> this.stack.replace(2, 2);
			case Opcodes.LCONST_0, Opcodes.LCONST_1, Opcodes.DCONST_0, Opcodes.DCONST_1 -> this.stack.replace(0, 2);
			case Opcodes.LALOAD, Opcodes.DALOAD, Opcodes.LNEG, Opcodes.DNEG, Opcodes.L2D, Opcodes.D2L ->
				this.stack.replace(2, 2);
			case Opcodes.LASTORE, Opcodes.DASTORE -> this.stack.replace(4, 0);
			case Opcodes.IASTORE, Opcodes.FASTORE, Opcodes.AASTORE, Opcodes.BASTORE, Opcodes.CASTORE, Opcodes.SASTORE ->
				this.stack.replace(3, 0);
			case Opcodes.INEG, Opcodes.FNEG, Opcodes.I2F, Opcodes.F2I, Opcodes.I2B, Opcodes.I2C, Opcodes.I2S,
					Opcodes.ARRAYLENGTH ->
				this.stack.replace(1, 1);
			case Opcodes.I2L, Opcodes.I2D, Opcodes.F2L, Opcodes.F2D -> this.stack.replace(1, 2);
			case Opcodes.L2I, Opcodes.L2F, Opcodes.D2I, Opcodes.D2F, Opcodes.FCMPL, Opcodes.FCMPG ->
				this.stack.replace(2, 1);
			case Opcodes.LCMP, Opcodes.DCMPL, Opcodes.DCMPG -> this.stack.replace(4, 1);
			case Opcodes.LADD, Opcodes.DADD, Opcodes.LSUB, Opcodes.DSUB, Opcodes.LMUL, Opcodes.DMUL, Opcodes.LDIV,
					Opcodes.DDIV, Opcodes.LREM, Opcodes.DREM, Opcodes.LAND, Opcodes.LOR, Opcodes.LXOR ->
				this.stack.replace(4, 2);
			case Opcodes.LSHL, Opcodes.LSHR, Opcodes.LUSHR -> this.stack.replace(3, 2);
			case Opcodes.ATHROW, Opcodes.RETURN, Opcodes.IRETURN, Opcodes.LRETURN, Opcodes.FRETURN, Opcodes.DRETURN,
					Opcodes.ARETURN ->
				this.reachable = false;
			default -> this.stack.replace((opcode < Opcodes.IALOAD) ? 0 : 2, 1);
		}
	}

	@Override
	public void visitIntInsn(int opcode, int operand) {
		this.stack.replace((opcode == Opcodes.NEWARRAY) ? 1 : 0, 1);
	}

	@Override
	public void visitLdcInsn(Object value) {
		this.stack.replace(0, (value instanceof Long || value instanceof Double) ? 2 : 1);
	}

	@Override
	public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
		this.stack.replace(dimensions, 1);
	}

	@Override
	public void visitJumpInsn(int opcode, Label label) {
		switch (opcode) {
			case Opcodes.GOTO, Opcodes.JSR -> {
				// Nothing is compared.
			}
			case Opcodes.IFEQ, Opcodes.IFNE, Opcodes.IFLT, Opcodes.IFGE, Opcodes.IFGT, Opcodes.IFLE, Opcodes.IFNULL,
					Opcodes.IFNONNULL ->
				this.stack.replace(1, 0);
			default -> this.stack.replace(2, 0);
		}
		this.jumps.putIfAbsent(label, this.stack.copy());
		this.reachable &= opcode != Opcodes.GOTO;
	}

	@Override
	public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
		visitLookupSwitchInsn(otherwise, new int[0], labels);
	}

	@Override
	public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
		this.stack.replace(1, 0);
		this.jumps.putIfAbsent(otherwise, this.stack.copy());
		for (Label label : labels) {
			this.jumps.putIfAbsent(label, this.stack.copy());
		}
		this.reachable = false;
	}

	@Override
	public void visitLabel(Label label) {
		Slots atJump = this.jumps.get(label);
		if (!this.reachable && atJump != null) {
			this.stack = atJump.copy();
			this.reachable = true;
		}
	}

	/**
	 * Code that only an exception or a jump from below leads to.
	 */
	@Override
	public void visitFrame(int type, int locals, Object @Nullable [] local, int size, Object @Nullable [] values) {
		if (this.reachable || values == null) {
			return;
		}
		this.stack = new Slots(0, new BitSet());
		for (int i = 0; i < size; i++) {
			this.stack.replace(0, (values[i] == Opcodes.LONG || values[i] == Opcodes.DOUBLE) ? 2 : 1);
		}
		this.reachable = true;
	}

	/**
	 * The slots of a stack.
	 */
	private static final class Slots {

		private final BitSet self;

		private int depth;

		Slots(int depth, BitSet self) {
			this.depth = depth;
			this.self = self;
		}

		Slots copy() {
			return new Slots(this.depth, (BitSet) this.self.clone());
		}

		boolean isThis(int fromTop) {
			return this.depth >= fromTop && fromTop > 0 && this.self.get(this.depth - fromTop);
		}

		void push(boolean isThis) {
			this.self.set(this.depth++, isThis);
		}

		void replace(int popped, int pushed) {
			this.depth = Math.max(0, this.depth - popped);
			this.self.clear(this.depth, this.self.size() + this.depth);
			this.depth += pushed;
		}

		void forget() {
			this.self.clear();
		}

	}

}
