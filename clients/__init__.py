"""What users import: synchronous and asyncio clients, and bots."""
