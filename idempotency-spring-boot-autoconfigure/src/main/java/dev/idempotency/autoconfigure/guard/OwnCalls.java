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
package dev.idempotency.autoconfigure.guard;

import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/**
 * Reads the calls between the methods of a class, method references and the bodies of
 * lambda expressions included.
 */
final class OwnCalls extends ClassVisitor {

	private final Set<Call> calls;

	private final Set<Target> hidden;

	private final Set<String> owners = new HashSet<>();

	/**
	 * Creates a reader.
	 * @param type the class
	 * @param calls takes the calls
	 * @param hidden takes the private methods, to which the bodies of lambda expressions
	 * are compiled
	 */
	OwnCalls(Class<?> type, Set<Call> calls, Set<Target> hidden) {
		super(SpringAsmInfo.ASM_VERSION);
		this.calls = calls;
		this.hidden = hidden;
		for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
			this.owners.add(Type.getInternalName(owner));
		}
		for (Class<?> owner : ClassUtils.getAllInterfacesForClassAsSet(type)) {
			this.owners.add(Type.getInternalName(owner));
		}
	}

	@Override
	public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
			String @Nullable [] exceptions) {
		if ((access & Opcodes.ACC_BRIDGE) != 0) {
			return null;
		}
		Target caller = new Target(name, descriptor);
		if ((access & (Opcodes.ACC_PRIVATE | Opcodes.ACC_SYNTHETIC)) != 0) {
			this.hidden.add(caller);
		}
		return new MethodVisitor(SpringAsmInfo.ASM_VERSION) {

			@Override
			public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
				add(caller, owner, new Target(name, descriptor));
			}

			@Override
			public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
				for (Object argument : arguments) {
					if (argument instanceof Handle handle) {
						add(caller, handle.getOwner(), new Target(handle.getName(), handle.getDesc()));
					}
				}
			}

		};
	}

	private void add(Target caller, String owner, Target callee) {
		if (this.owners.contains(owner)) {
			this.calls.add(new Call(caller, callee));
		}
	}

	/**
	 * A method of the class.
	 *
	 * @param name its name
	 * @param descriptor its parameters and result
	 */
	record Target(String name, String descriptor) {

		/**
		 * The name of the method in whose source the code is.
		 */
		String source() {
			String[] parts = this.name.split("\\$");
			return (parts.length > 2 && parts[0].equals("lambda")) ? parts[1] : this.name;
		}

	}

	/**
	 * A call of a method of the class.
	 *
	 * @param caller the method that makes it
	 * @param callee the method that is called
	 */
	record Call(Target caller, Target callee) {
	}

}
